"""Converts Loom files and has the oracle compare what comes out with h5py and loompy.

    loom_stores.py export --shared DIR --dist dist FOLDER…    the tables of every file, as Arrow and as Parquet
    loom_stores.py again --shared DIR --dist dist FOLDER…     every file written again, by 3.0.0 and 2.0.1
    loom_stores.py bad --cli "node dist/cli/main.js" LIST     broken files end in a named error, odd ones in a warning

Python: what oracle/requirements-loom-mat.txt of the shared folder names. Problems that known-loom.txt names do not count;
a line of it that names no problem is a failure. Last line: "N passed, N failed".
"""

import argparse
import fnmatch
import json
import re
import shlex
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import loom_compare as compare
from broken import converted, no_named_error
from converter import Converter
from forks import Forks
from report import Report

HERE = Path(__file__).parent
KNOWN = HERE / "known-loom.txt"


def files(folders: list[Path]) -> list[tuple[str, Path]]:
    """Names below their folder, and paths."""
    return [(str(path.relative_to(folder)), path) for folder in folders for path in sorted(folder.rglob("*.loom"))]


def export(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        problem = converter.convert(path, out, {"to": step})
        return [problem] if problem else oracle("export", str(path), str(out))


REFUSED = re.compile(r"^convert: \w+: [^ ]*again\.loom: ((?:attrs|row_attrs|col_attrs)/[^:]+): ")


def again(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    """What is refused is a problem; the file is converted without it then, so that all else is compared."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        original, out = Path(folder) / "original.loom", Path(folder) / "again.loom"
        shutil.copyfile(path, original)
        original.chmod(0o600)
        while (problem := converter.convert(original, out, {"loomVersion": step})) is not None:
            problems.append(problem)
            refused = REFUSED.match(problem)
            if refused is None or not remove(original, refused[1]):
                return problems
        return problems + oracle("again", str(original), str(out), step)


def remove(path: Path, element: str) -> bool:
    import h5py

    with h5py.File(path, "r+") as f:
        if element in f:
            del f[element]
            return True
        place, name = element.split("/", 1)
        if place != "attrs" or name not in f.attrs:
            return False
        del f.attrs[name]
        return True


TASKS = {"export": (export, ("arrow", "parquet")), "again": (again, ("3.0.0", "2.0.1"))}


def sweep(args) -> None:
    task, steps = TASKS[args.command]
    # Imported once here, so that a missing package is told at once.
    sys.path.insert(0, str((args.shared / "oracle").resolve()))
    compare.check_packages()
    chosen = [(name, path) for name, path in files(args.places) if fnmatch.fnmatch(name, args.only)]
    work = [(name, path, step) for name, path in chosen for step in steps if fnmatch.fnmatch(step, args.step)]
    converter, report = Converter(args.dist), Report(KNOWN, args.command)
    oracle = Forks(compare.run, [HERE, args.shared / "oracle"], compare.PRELOADED)
    with ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda one: task(converter, oracle, *one[1:]), work)
        for (name, _, step), problems in zip(work, results):
            report.add(name, f"{args.command}-{step}", problems)
    print(f"{len(chosen)} files")
    report.end(whole=args.only == "*" and args.step == "*")


# ---- broken files


def bad(args) -> None:
    report = Report(KNOWN, "bad")
    listing = args.places[0]

    def problems(case: dict) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            return [] if (found := broken(args.cli, listing.parent / case["file"], case, Path(folder))) is None else [found]

    cases = json.loads(listing.read_text())
    with ThreadPoolExecutor(args.jobs) as pool:
        for case, found in zip(cases, pool.map(problems, cases)):
            report.add(case["file"], "bad", found)
    print(f"{len(cases)} files")
    report.end(whole=True)


def broken(cli: list[str], path: Path, case: dict, folder: Path) -> str | None:
    """None if the conversion ends as it should; what is wrong is said with the element in which it is."""
    end = converted(cli, path, folder)
    if isinstance(end, str):
        return end
    names_element = lambda line: case["element"] in line
    if case["expect"] == "warn":
        warned = any("warning: " in line and names_element(line) for line in end.stderr)
        return f"refused: {end.last}" if end.code else None if warned else "no warning names the element"
    if end.code == 0:
        return None if case["expect"] == "any" else f"accepted, though: {case['wrong']}"
    return no_named_error(end, path) or (None if names_element(end.last) else f"names another element: {end.last[:200]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=[*TASKS, "bad"])
    parser.add_argument("places", nargs="+", type=Path)
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--dist", default=str(HERE.parent / "dist"))
    parser.add_argument("--cli", type=shlex.split)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="*", metavar="GLOB", help="files with such a name")
    parser.add_argument("--step", default="*", metavar="GLOB", help="arrow or parquet; 3.0.0 or 2.0.1")
    args = parser.parse_args()
    bad(args) if args.command == "bad" else sweep(args)


if __name__ == "__main__":
    main()
