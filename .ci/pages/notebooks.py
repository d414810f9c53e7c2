"""Executes notebooks in the order of their names: notebooks.py FOLDER [--save]. Each cell of code is one check.

With --save, what the cells print is kept in the notebooks.
"""

import argparse
import queue
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


class PatientClient(NotebookClient):
    """Also takes a result that comes after its cell is "idle": Deno's kernel does not wait for what it sent before that."""

    async def async_execute_cell(self, cell, cell_index, *arguments, **options):
        done = await super().async_execute_cell(cell, cell_index, *arguments, **options)
        while cell.cell_type == "code" and not shows_result(cell):
            try:
                message = await self.kc.iopub_channel.get_msg(timeout=5)
            except queue.Empty:
                break
            self.process_message(message, cell, cell_index)
        return done


def shows_result(cell):
    # R's kernel sends what a cell returns as something to be displayed.
    return any(output.output_type in ("execute_result", "display_data") for output in cell.outputs)


def execute(path, save):
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in cells:
        cell.outputs, cell.execution_count = [], None
    client = PatientClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}, record_timing=False)
    failed = 0
    try:
        client.execute()
    except CellExecutionError as error:
        print(f"{path.name}: {error}")
        failed = 1
    done = [cell for cell in cells if cell.execution_count is not None]
    for cell in done:
        # The last line of every cell is a value; datasets and tables come as HTML too.
        if failed == 0 and not shows_result(cell):
            print(f"{path.name}: a cell shows nothing:\n{cell.source}")
            failed += 1
    if save and failed == 0:
        nbformat.write(notebook, path)
    print(f"{path.name}: {len(done)} of {len(cells)} cells")
    return len(done) - failed, failed, notebook


def html(notebook):
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output.data["text/html"] for output in outputs if "data" in output and "text/html" in output.data]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    passed = failed = 0
    for path in sorted(arguments.folder.glob("*.ipynb")):
        good, bad, notebook = execute(path, arguments.save)
        if not html(notebook):
            print(f"{path.name}: nothing is shown as HTML")
            bad += 1
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
