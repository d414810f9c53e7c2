"""Converts every store of AnnData and MuData in the given folders to another container and back, and has the oracle
compare the ends.

    round-trip.py --shared DIR --dist dist [--also PYTHON] [--jobs 2] [--only GLOB] [--sample SEED] FOLDER…

An .h5ad becomes an .h5ad, and by way of Zarr v3 an .h5ad; a Zarr store becomes a Zarr store, and by way of a directory
of Parquet files a Zarr store; MuData the same way. PYTHON is one with anndata 0.8: what that
reads of the originals it must read of their copies too, with the same names in them. Stores listed in
known-failures.txt cannot be read and are left out. With a SEED, each store goes one of its ways. Problems that known-round-trips.txt names do not count; a line of it that names no problem is a failure.
Last line: "N passed, N failed".
"""

import argparse
import fnmatch
import json
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from asked import asked
from converter import Converter
from forks import Forks
from mudata_compare import is_mudata, prepare
from oracle import known_failures, stores
from sample import chosen

HERE = Path(__file__).parent

ZARR_3 = {"zarrFormat": 3}
PARQUET = ("tables", {"format": "parquet"})
"""What is written one after the other, each from the one before, with the options that it takes."""
CHAINS = {
    "h5ad": {"h5ad": [("copy.h5ad", {})], "zarr3-h5ad": [("copy.v3.zarr", ZARR_3), ("copy.h5ad", {})]},
    "zarr": {"zarr": [("copy.zarr", {})], "parquet-zarr": [PARQUET, ("copy.zarr.zip", {})]},
    "h5mu": {"h5mu": [("copy.h5mu", {})], "zarr3-h5mu": [("copy.mudata.zarr", ZARR_3), ("copy.h5mu", {})]},
    "mudata.zarr": {"zarr": [("copy.mudata.zarr", {})], "parquet-zarr": [PARQUET, ("copy.mudata.zarr.zip", {})]},
}


def kind_of(path: Path) -> str:
    if is_mudata(path):
        return "h5mu" if path.suffix == ".h5mu" else "mudata.zarr"
    return "h5ad" if path.suffix == ".h5ad" else "zarr"


def known_round_trips() -> list[tuple[str, str, re.Pattern]]:
    """Pattern of the store's name, pattern of the chain's, and what a problem says."""
    lines = (HERE / "known-round-trips.txt").read_text().splitlines()
    rules = [line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith("#")]
    return [(store, chain, re.compile(problem)) for store, chain, problem in rules]


def compared(a: str, b: str, answer) -> None:
    """Runs in a process of its own: the oracle changes anndata's comparison, and may crash on what it reads."""
    import anndata_oracle

    if is_mudata(Path(a)):
        prepare(anndata_oracle)
    # Codes of 64 bits become int32 in tables; two stores have them alike.
    anndata_oracle.index_type = lambda dictionary: dictionary.index_type
    same = lambda one, other: asked(anndata_oracle, "anndata_oracle.py", "same", one, other)
    found = same(a, b)
    if any(line.startswith("anndata: ") for line in found):
        # What anndata cannot compare with itself either, as sparse half floats.
        found = [line for line in found if not line.startswith("anndata: ") or line not in same(a, a)]
    answer.send(found)


# ---- an older anndata

READ = """
import json, sys, warnings; warnings.simplefilter("ignore")
import hdf5plugin, anndata as ad
def look(path, kind):
    a = (ad.read_zarr if kind == "zarr" else ad.read_h5ad)(path)
    frames = {k: [[str(c), str(t)] for c, t in getattr(a, k).dtypes.items()] for k in ("obs", "var")}
    names = {k: sorted(map(str, getattr(a, k).keys())) for k in ("layers", "obsm", "varm", "obsp", "varp", "uns")}
    index = {k: list(map(str, getattr(a, k + "_names"))) for k in ("obs", "var")}
    total = None if a.X is None else [str(a.X.dtype), str(type(a.X).__name__), repr(float(a.X.sum()))]
    return {"shape": list(a.shape), "frames": frames, "index": index, "X": total, "raw": a.raw is not None, **names}
print(ad.__version__, flush=True)
for line in sys.stdin:
    try:
        answer = look(*json.loads(line))
    except BaseException as error:
        answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[-250:]}"}
    print(json.dumps(answer), flush=True)
"""


class Reader:
    """Reads stores one at a time, in a process of the given Python."""

    def __init__(self, python: str):
        # -I: not the packages of the Python that runs this script.
        self.process = subprocess.Popen(
            [python, "-I", "-c", READ], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.version = self.process.stdout.readline().strip()
        if not self.version:
            sys.exit(f"{python} has no anndata and hdf5plugin")
        self.lock = threading.Lock()
        self.known = {}

    def look(self, path: Path, kind: str) -> dict:
        with self.lock:
            self.process.stdin.write(json.dumps([str(path), kind]) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": f"the process ended with code {self.process.wait()}"}

    def disagrees(self, original: Path, copy: Path) -> str | None:
        kind = kind_of(original)
        if original not in self.known:
            self.known[original] = self.look(original, kind)
        a = self.known[original]
        if "error" in a:
            return None
        b = self.look(copy, kind)
        if "error" in b:
            return f"anndata {self.version} reads the original, but not the copy: {b['error']}"
        unlike = [key for key in a if a[key] != b[key]]
        return f"anndata {self.version} finds another {unlike[0]}: {str(a[unlike[0]])[:100]}, {str(b[unlike[0]])[:100]}" if unlike else None


# ----


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--dist", default=str(HERE.parents[1] / "dist"))
    parser.add_argument("--also", metavar="PYTHON", help="a Python with anndata 0.8 and hdf5plugin")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="*", metavar="GLOB", help="stores with such a name")
    parser.add_argument("--chain", default="*", metavar="GLOB", help=f"one of {', '.join(n for c in CHAINS.values() for n in c)}")
    parser.add_argument("--sample", metavar="SEED", help="each store goes one of its ways")
    args = parser.parse_args()

    # A module that it does not find it leaves out without a word.
    oracle = Forks(compared, [HERE, args.shared / "oracle"], ["anndata_oracle", "anndata.tests.helpers", "mudata"])
    converter = Converter(args.dist)
    reader = Reader(args.also) if args.also else None

    unreadable, rules, used = known_failures(), known_round_trips(), set()
    readable = [path for path in stores(args.folders) if not any(fnmatch.fnmatch(path.name, glob) for glob in unreadable)]
    work = [
        (path, chain, steps)
        for path in readable
        for number, (chain, steps) in enumerate(CHAINS[kind_of(path)].items())
        if args.sample is None or number == chosen(path.name, args.sample, len(CHAINS[kind_of(path)]))
        if fnmatch.fnmatch(path.name, args.only) and fnmatch.fnmatch(chain, args.chain)
    ]

    def problems_of(path: Path, steps: list[tuple[str, dict]]) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            at = path
            for name, options in steps:
                target = Path(folder) / name
                problem = converter.convert(at, target, options)
                if problem is not None:
                    return [f"{name}: {problem}"]
                at = target
            found = oracle(str(path), str(at))
            if reader is not None and not is_mudata(path) and ".zip" not in (path.suffix, at.suffix):
                found += filter(None, [reader.disagrees(path, at)])
            return found

    def unknown(path: Path, chain: str, steps: list[tuple[str, dict]]) -> list[str]:
        found = []
        for problem in problems_of(path, steps):
            fits = lambda rule: fnmatch.fnmatch(path.name, rule[0]) and fnmatch.fnmatch(chain, rule[1]) and rule[2].search(problem)
            rule = next(filter(fits, rules), None)
            used.add(rule) if rule else found.append(problem)
        return found

    passed = failed = 0
    if args.sample is not None:
        print(f"seed {args.sample}")
    with ThreadPoolExecutor(args.jobs) as pool:
        for (path, chain, _), found in zip(work, pool.map(lambda one: unknown(*one), work)):
            passed, failed = passed + (not found), failed + bool(found)
            if found:
                more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
                print(f"{path.name} | {chain} | {'; '.join(one[:300] for one in found[:5])}{more}", flush=True)
    if args.only == "*" and args.chain == "*" and args.sample is None:
        for store, chain, problem in [rule for rule in rules if rule not in used]:
            failed += 1
            print(f"{store} | {chain} | is in known-round-trips.txt, but no problem is so: {problem.pattern}")
    if reader is not None:
        read = [one for one in reader.known.values() if "error" not in one]
        print(f"anndata {reader.version} reads {len(read)} of {len(reader.known)} originals")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
