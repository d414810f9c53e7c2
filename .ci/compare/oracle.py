"""Converts every store of AnnData and MuData in the given folders and has the oracle compare the tables with the reference reader.

    oracle.py --shared DIR --dist dist --cli "node dist/cli/main.js" [--sample SEED] FOLDER…

Each store becomes Arrow files and Parquet files, with a SEED one of them. Stores listed in known-failures.txt must fail
with exit code 1 and the error that the list names; a line of the list that no store matches is a failure too. Last line:
"N passed, N failed".
"""

import argparse
import fnmatch
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from asked import asked
from converter import Converter
from forks import Forks
from sample import chosen

HERE = Path(__file__).parent
STORES = ("*.h5ad", "*.h5mu", "*.zarr", "*.zarr.zip")
FORMATS = ("arrow", "parquet")
NO_STORE_ITSELF = {"vitessce_spatialdata-0.3_blobs.sdata.zarr": ["tables/table", "tables/table_points"]}


def known_failures() -> dict[str, re.Pattern]:
    lines = (HERE / "known-failures.txt").read_text().splitlines()
    rules = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    return {pattern: re.compile(error) for pattern, error in rules}


def stores(folders: list[Path]) -> list[Path]:
    found = sorted({path for folder in folders for pattern in STORES for path in folder.glob(pattern)})
    inner = [path / part for path in found for part in NO_STORE_ITSELF.get(path.name, [])]
    return found + inner


def fails_as_known(cli: list[str], path: Path, to: str, error: re.Pattern) -> str | None:
    """None if the conversion fails as the list says, else what happened."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out"
        run = subprocess.run([*cli, "convert", path, f"{target}/", "--to", to], capture_output=True, text=True, timeout=120)
        last = (run.stderr.strip().splitlines() or [""])[-1]
        if run.returncode != 1:
            return f"is listed as failing but ended with exit code {run.returncode}: {last[:200]}"
        if not error.search(last):
            return f"failed, but not with /{error.pattern}/: {last[:200]}"
        return "left output behind" if target.exists() else None


def compared(original: str, folder: str, answer) -> None:
    """Runs in a process of its own."""
    import anndata_oracle

    answer.send(asked(anndata_oracle, "anndata_oracle.py", "export", original, folder))


def problems_of(converter: Converter, oracle: Forks, path: Path, to: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        problem = converter.convert(path, out, {"format": to})
        return [problem] if problem else oracle(str(path), str(out))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--dist", default=str(HERE.parents[1] / "dist"))
    parser.add_argument("--cli", type=shlex.split, required=True)
    parser.add_argument("--sample", metavar="SEED", help="each store becomes one of the formats")
    args = parser.parse_args()
    known = known_failures()
    listed = {path: next((glob for glob in known if fnmatch.fnmatch(path.name, glob)), None) for path in stores(args.folders)}
    passed, failed = 0, 0
    if args.sample is not None:
        print(f"seed {args.sample}")

    def report(name: str, problem: str | None) -> None:
        nonlocal passed, failed
        passed, failed = (passed + 1, failed) if problem is None else (passed, failed + 1)
        if problem is not None:
            print(f"{name} | {problem}")

    for glob in known:
        if glob not in listed.values():
            report(glob, "is in known-failures.txt, but no store is called so")
    taken = lambda path: FORMATS if args.sample is None else [FORMATS[chosen(path.name, args.sample, len(FORMATS))]]
    converter = Converter(args.dist)
    oracle = Forks(compared, [HERE, args.shared / "oracle"], ["anndata_oracle"])

    def check(path: Path, to: str) -> str | None:
        if listed[path] is not None:
            return fails_as_known(args.cli, path, to, known[listed[path]])
        return "; ".join(problems_of(converter, oracle, path, to))[:600] or None

    work = [(path, to) for path in listed for to in taken(path)]
    with ThreadPoolExecutor(2) as pool:
        for (path, to), problem in zip(work, pool.map(lambda one: check(*one), work)):
            report(f"{path.name} as {to}", problem)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
