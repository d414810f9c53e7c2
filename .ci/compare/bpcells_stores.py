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

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import bpcells_compare
from broken import End, no_named_error
from converter import Converter
from forks import Forks
from report import Report
from store_checks import EXPORT, HERE, Named, StoreChecks

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


def again(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    packed = oracle("packed", str(path))
    if not packed or any(type(one) is not bool for one in packed):
        return packed or ["holds no store"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / FORMS[step]
        # Of text the fifth column is left out.
        lossy = path.name.endswith((".tsv", ".tsv.gz"))
        problem = converter.convert(path, out, {"format": "bpcells", "packed": any(packed), "lossy": lossy})
        return [problem] if problem else oracle("again", str(path), str(out))


def text(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / TEXTS[step]
        problem = converter.convert(path, out, {"format": "10x"})
        return [problem] if problem else oracle("text", str(path), str(out))


def anndata(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out, back = Path(folder) / FORMS[step], Path(folder) / "back.h5ad"
        problem = converter.convert(path, out, {"format": "bpcells", "lossy": True})
        if problem:
            return [problem]
        found = oracle("from-anndata", str(path), str(out))
        problem = converter.convert(out, back, {})
        return found + ([f"back: {problem}"] if problem else [f"back: {one}" for one in oracle("from-anndata", str(back), str(out))])


def chosen(command: str, places: list[Path]) -> list[Named]:
    if command == "anndata":
        return [(path.name, path) for path in places]
    found = stores(places)
    if command in ("again", "text"):
        found = [(name, path) for name, path in found if "handles_rds" not in name]
    if command == "text":
        found = [(name, path) for name, path in found if bpcells_compare.kinds(path) == ["fragments"]]
    return found


# ---- broken stores


def tells_reading(folder: Path) -> bool:
    """Whether the file system notes when a file was last read."""
    probe = folder / "probe"
    probe.write_bytes(b"x")
    os.utime(probe, (0, os.stat(probe).st_mtime))
    probe.read_bytes()
    return os.stat(probe).st_atime > 0


def guard(listing: Path, report: Report) -> Callable[[], str]:
    """Whether the files beside the stores are read, to which none may point."""
    outside = listing.parent.parent / "outside"
    with tempfile.TemporaryDirectory(dir=listing.parent.parent) as folder:
        watched = [path for path in outside.rglob("*") if path.is_file()] if tells_reading(Path(folder)) else []
    for path in watched:
        os.utime(path, (0, path.stat().st_mtime))

    def check() -> str:
        read = [str(path) for path in watched if path.stat().st_atime > 0]
        report.add("outside", "bad", [f"was read: {read}"] if read else [])
        return f"{len(watched)} files that none may read" if watched else "this file system does not tell what was read"

    return check


def wrong_end(end: End, path: Path, case: dict) -> str | None:
    if case["expect"] == "harmless":
        return f"refused: {end.last}" if end.code else None
    return f"accepted, though: {case['wrong']}" if end.code == 0 else no_named_error(end, path)


CHECKS = StoreChecks(
    HERE / "known-bpcells.txt",
    bpcells_compare,
    {
        "export": EXPORT,
        "again": (again, tuple(FORMS)),
        "text": (text, tuple(TEXTS)),
        "anndata": (anndata, tuple(FORMS)),
    },
    chosen,
    wrong_end,
    ["bpcells_lazy"],
    guard,
)

if __name__ == "__main__":
    CHECKS.main(__doc__)
