"""The Python package at the tasks of peer.py: ours_python.py entries|obs IN. The clock has the start of Node in it."""

import json
import sys
import time
from pathlib import Path

import annarrow

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))

from peer import of_entries, of_table  # noqa: E402


def main(task: str, source: str) -> None:
    began = time.perf_counter()
    name = "obs" if task == "obs" else "X"
    with annarrow.open(source) as data:
        found = data.table(name).read()
    seconds = time.perf_counter() - began
    columns = [found[one].to_numpy() for one in ("row", "col", "value")] if task == "entries" else []
    result = of_table(found) if task == "obs" else of_entries(*columns)
    print(json.dumps({"seconds": seconds, "result": result}))


if __name__ == "__main__":
    main(*sys.argv[1:])
