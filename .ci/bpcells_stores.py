"""Converts BPCells stores and has the oracle compare what comes out with its own decoder and with the bpcells package.

    bpcells_stores.py export --shared DIR --dist dist FOLDER…    the tables of every store
    bpcells_stores.py again --shared DIR --dist dist FOLDER…     every store written again as directory, HDF5 and R object
    bpcells_stores.py text --shared DIR --dist dist FOLDER…      every table of fragments as text of 10x
    bpcells_stores.py anndata --shared DIR --dist dist FILE…     .h5ad to each of the three, and back from there
    bpcells_stores.py bad --cli "node dist/cli/main.js" LIST     broken stores end in a named error, in little memory

Python: 3.12 with what oracle/requirements-bpcells.txt of the shared folder names. Stores are directories with a file
`version`, and .h5, .h5ad, .rds and fragments .tsv and .tsv.gz files. Problems that known-bpcells.txt names do not count;
a line of it that names no problem is a failure. Last line: "N passed, N failed".
"""

import argparse
import fnmatch
import json
import os
import shlex
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bpcells_compare as compare
from broken import converted, no_named_error
from converter import Converter
from forks import Forks
from report import Report

HERE = Path(__file__).parent
KNOWN = HERE / "known-bpcells.txt"
FILES = (".h5", ".h5ad", ".rds", ".tsv", ".tsv.gz")

FORMS = {"dir": "again", "h5": "again.h5", "rds": "again.rds"}
"""What a store is written as, and the name that says so."""
TEXTS = {"plain": "fragments.tsv", "gzip": "fragments.tsv.gz"}


def stores(folders: list[Path]) -> list[tuple[str, Path]]:
    """Names below their folder, and paths."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            store = (path / "version").is_file() if path.is_dir() else path.name.endswith(FILES)
            if store and not (path.parent / "version").is_file() and (path.suffix not in (".h5", ".h5ad") or holds_bpcells(path)):
                found.append((str(path.relative_to(folder)), path))
    return found


def holds_bpcells(path: Path) -> bool:
    """HDF5 files may be of any format; a damaged one is not left out."""
    import bpcells_oracle

    try:
        return len(bpcells_oracle.stores_in(path)) > 0
    except OSError:
        return True


def export(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        problem = converter.convert(path, out, {"to": step})
        return [problem] if problem else oracle("export", str(path), str(out))


def again(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    packed = oracle("packed", str(path))
    if not packed or any(type(one) is not bool for one in packed):
        return packed or ["holds no store"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / FORMS[step]
        # Of text the fifth column is left out.
        lossy = path.name.endswith((".tsv", ".tsv.gz"))
        problem = converter.convert(path, out, {"to": "bpcells", "packed": any(packed), "lossy": lossy})
        return [problem] if problem else oracle("again", str(path), str(out))


def text(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / TEXTS[step]
        problem = converter.convert(path, out, {"to": "10x"})
        return [problem] if problem else oracle("text", str(path), str(out))


def anndata(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out, back = Path(folder) / FORMS[step], Path(folder) / "back.h5ad"
        problem = converter.convert(path, out, {"to": "bpcells", "lossy": True})
        if problem:
            return [problem]
        found = oracle("from-anndata", str(path), str(out))
        problem = converter.convert(out, back, {})
        return found + ([f"back: {problem}"] if problem else [f"back: {one}" for one in oracle("from-anndata", str(back), str(out))])


TASKS = {
    "export": (export, ("arrow", "parquet")),
    "again": (again, tuple(FORMS)),
    "text": (text, tuple(TEXTS)),
    "anndata": (anndata, tuple(FORMS)),
}


def sweep(args) -> None:
    task, steps = TASKS[args.command]
    steps = [step for step in steps if fnmatch.fnmatch(step, args.step)]
    # Imported once here, so that a missing package is told at once.
    sys.path.insert(0, str((args.shared / "oracle").resolve()))
    compare.check_packages()
    found = [(path.name, path) for path in args.places] if args.command == "anndata" else stores(args.places)
    chosen = [(name, path) for name, path in found if fnmatch.fnmatch(name, args.only)]
    if args.command in ("again", "text"):
        chosen = [(name, path) for name, path in chosen if "handles_rds" not in name]
    if args.command == "text":
        chosen = [(name, path) for name, path in chosen if compare.kinds(path) == ["fragments"]]
    work = [(name, path, step) for name, path in chosen for step in steps]
    converter = Converter(args.dist)
    oracle = Forks(compare.run, [HERE, args.shared / "oracle"], ["bpcells_lazy", *compare.PRELOADED])
    report = Report(KNOWN, args.command)
    with ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda one: task(converter, oracle, *one[1:]), work)
        for (name, _, step), problems in zip(work, results):
            report.add(name, f"{args.command}-{step}", problems)
    print(f"{len(chosen)} stores")
    report.end(whole=args.only == "*" and args.step == "*")


# ---- broken stores


def tells_reading(folder: Path) -> bool:
    """Whether the file system notes when a file was last read."""
    probe = folder / "probe"
    probe.write_bytes(b"x")
    os.utime(probe, (0, os.stat(probe).st_mtime))
    probe.read_bytes()
    return os.stat(probe).st_atime > 0


def bad(args) -> None:
    listing = args.places[0]
    outside = listing.parent.parent / "outside"
    report = Report(KNOWN, "bad")
    with tempfile.TemporaryDirectory(dir=listing.parent.parent) as folder:
        watched = [path for path in outside.rglob("*") if path.is_file()] if tells_reading(Path(folder)) else []
    for path in watched:
        os.utime(path, (0, path.stat().st_mtime))

    def problems(case: dict) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            return [] if (found := broken(args.cli, listing.parent / case["file"], case, Path(folder))) is None else [found]

    cases = json.loads(listing.read_text())
    with ThreadPoolExecutor(args.jobs) as pool:
        for case, found in zip(cases, pool.map(problems, cases)):
            report.add(case["file"], "bad", found)
    read = [str(path) for path in watched if path.stat().st_atime > 0]
    report.add("outside", "bad", [f"was read: {read}"] if read else [])
    guarded = f"{len(watched)} files that none may read" if watched else "this file system does not tell what was read"
    print(f"{len(cases)} stores; {guarded}")
    report.end(whole=True)


def broken(cli: list[str], path: Path, case: dict, folder: Path) -> str | None:
    """None if the conversion ends as it should."""
    end = converted(cli, path, folder)
    if isinstance(end, str):
        return end
    if case["expect"] == "harmless":
        return f"refused: {end.last}" if end.code else None
    return f"accepted, though: {case['wrong']}" if end.code == 0 else no_named_error(end, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=[*TASKS, "bad"])
    parser.add_argument("places", nargs="+", type=Path)
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--dist", default=str(HERE.parent / "dist"))
    parser.add_argument("--cli", type=shlex.split)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="*", metavar="GLOB", help="stores with such a name")
    parser.add_argument("--step", default="*", metavar="GLOB", help="arrow or parquet; dir, h5 or rds")
    args = parser.parse_args()
    bad(args) if args.command == "bad" else sweep(args)


if __name__ == "__main__":
    main()
