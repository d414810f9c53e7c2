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
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bpcells_compare as compare

HERE = Path(__file__).parent
CONVERT_LIMIT_S = 60
COMPARE_LIMIT_S = 180
FILES = (".h5", ".h5ad", ".rds", ".tsv", ".tsv.gz")

FORMS = {"dir": "again", "h5": "again.h5", "rds": "again.rds"}
"""What a store is written as, and the name that says so."""
TEXTS = {"plain": "fragments.tsv", "gzip": "fragments.tsv.gz"}

BAD_SECONDS = 10
BAD_MEMORY = 450 << 20
NO_NAMED_ERROR = re.compile(r"TypeError|RangeError|RuntimeError|Aborted|Cannot read prop|\(unexpected;|heap")


def known_problems() -> list[tuple[str, str, re.Pattern]]:
    """Pattern of the store's name, pattern of the step's, as export-arrow or again-*, and what a problem says."""
    lines = (HERE / "known-bpcells.txt").read_text().splitlines()
    rules = [line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith("#")]
    return [(store, step, re.compile(problem)) for store, step, problem in rules]


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


class Converter:
    """A process of Node per thread, started anew where one ends or hangs."""

    def __init__(self, dist: str):
        self.command = ["node", str(HERE / "conversions.mjs"), dist]
        self.local = threading.local()

    def process(self) -> subprocess.Popen:
        node = getattr(self.local, "node", None)
        if node is None or node.poll() is not None:
            node = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.local.node = node
        return node

    def convert(self, source: Path, target: Path, options: dict) -> str | None:
        """None, or what went wrong."""
        node = self.process()
        node.stdin.write(json.dumps({"input": str(source), "output": str(target), "options": options}) + "\n")
        node.stdin.flush()
        clock = threading.Timer(CONVERT_LIMIT_S, node.kill)
        clock.start()
        line = node.stdout.readline()
        clock.cancel()
        if not line:
            return f"convert: Node ended with code {node.wait()}"
        error = json.loads(line)["error"]
        if error is None:
            return None
        kind = error["name"] if error["named"] else f"unnamed {error['name']}"
        return f"convert: {kind}: {error['message']}" + (", with output left behind" if error["left"] else "")


class Oracle:
    """Comparisons, each in a fork of a process that has imported everything."""

    def __init__(self, shared: Path):
        # The server takes its path from the environment alone.
        os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.resolve()), str((shared / "oracle").resolve())])
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(["bpcells_compare", "bpcells_lazy", *compare.PRELOADED])

    def __call__(self, task: str, *args) -> list[str]:
        receive, send = self.context.Pipe(duplex=False)
        process = self.context.Process(target=compare.run, args=(task, args, send))
        process.start()
        send.close()
        try:
            return receive.recv() if receive.poll(COMPARE_LIMIT_S) else [f"no end in {COMPARE_LIMIT_S} s"]
        except EOFError:
            process.join()
            return [f"the comparison ended with code {process.exitcode}"]
        finally:
            process.kill()
            process.join()


class Report:
    def __init__(self, command: str):
        self.rules = [rule for rule in known_problems() if rule[1].split("-")[0] == command]
        self.used, self.passed, self.failed = set(), 0, 0

    def add(self, name: str, step: str, problems: list[str]) -> None:
        found = []
        for problem in problems:
            fits = lambda rule: fnmatch.fnmatch(name, rule[0]) and fnmatch.fnmatch(step, rule[1]) and rule[2].search(problem)
            rule = next(filter(fits, self.rules), None)
            self.used.add(rule) if rule else found.append(problem)
        self.passed, self.failed = self.passed + (not found), self.failed + bool(found)
        if found:
            more = f"; and {len(found) - 4} more" if len(found) > 4 else ""
            print(f"{name} | {step} | {'; '.join(one[:300] for one in found[:4])}{more}", flush=True)

    def end(self, whole: bool) -> None:
        for store, step, problem in [rule for rule in self.rules if whole and rule not in self.used]:
            self.failed += 1
            print(f"{store} | {step} | is in known-bpcells.txt, but no problem is so: {problem.pattern}")
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)


def export(converter: Converter, oracle: Oracle, path: Path, step: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        problem = converter.convert(path, out, {"to": step})
        return [problem] if problem else oracle("export", str(path), str(out))


def again(converter: Converter, oracle: Oracle, path: Path, step: str) -> list[str]:
    packed = oracle("packed", str(path))
    if not packed or any(type(one) is not bool for one in packed):
        return packed or ["holds no store"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / FORMS[step]
        # Of text the fifth column is left out.
        lossy = path.name.endswith((".tsv", ".tsv.gz"))
        problem = converter.convert(path, out, {"to": "bpcells", "packed": any(packed), "lossy": lossy})
        return [problem] if problem else oracle("again", str(path), str(out))


def text(converter: Converter, oracle: Oracle, path: Path, step: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / TEXTS[step]
        problem = converter.convert(path, out, {"to": "10x"})
        return [problem] if problem else oracle("text", str(path), str(out))


def anndata(converter: Converter, oracle: Oracle, path: Path, step: str) -> list[str]:
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
    converter, oracle = Converter(args.dist), Oracle(args.shared)
    report = Report(args.command)
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
    report = Report("bad")
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
    target = folder / "out"
    with open(folder / "err", "w+") as err:
        run = subprocess.Popen([*cli, "convert", str(path), f"{target}/", "--to", "arrow"], stdout=subprocess.DEVNULL, stderr=err)
        clock = threading.Timer(BAD_SECONDS, run.kill)
        clock.start()
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        hangs = not clock.is_alive()
        clock.cancel()
        err.seek(0)
        last = (err.read().strip().splitlines() or [""])[-1]
    if hangs:
        return f"no end in {BAD_SECONDS} s"
    if usage.ru_maxrss * 1024 > BAD_MEMORY:
        return f"took {usage.ru_maxrss >> 10} MiB"
    if case["expect"] == "harmless":
        return f"refused: {last}" if run.returncode else None
    if run.returncode == 0:
        return f"accepted, though: {case['wrong']}"
    if run.returncode != 1 or NO_NAMED_ERROR.search(last):
        return f"no named error, but code {run.returncode}: {last[:200]}"
    if path.name not in last:
        return f"an error that does not say which store: {last[:200]}"
    return "left output behind" if target.exists() else None


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
