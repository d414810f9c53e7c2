"""What loom_stores.py, bpcells_stores.py and mat_stores.py have in common: a task for every file and step, whose problems
are reported, and broken files, which must end as their list says."""

import argparse
import fnmatch
import importlib
import json
import shlex
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from broken import End, converted
from converter import Converter
from forks import Forks
from report import Report

HERE = Path(__file__).parent

Named = tuple[str, Path]
"""A name below the folder that was asked for, and the path."""
Task = Callable[[Converter, Forks, Path, str], list[str]]


def files(folders: list[Path], suffixes: tuple[str, ...]) -> list[Named]:
    return [
        (str(path.relative_to(folder)), path)
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.name.endswith(suffixes) and path.is_file()
    ]


def export(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    """The tables of a file, as files of the format `step`."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        problem = converter.convert(path, out, {"format": step})
        return [problem] if problem else oracle("export", str(path), str(out))


EXPORT = (export, ("arrow", "parquet"))


@dataclass
class StoreChecks:
    known: Path
    compare: ModuleType
    """With `run`, PRELOADED, and REQUIREMENTS, the file that names its packages."""
    tasks: dict[str, tuple[Task, tuple[str, ...]]]
    """By the command: what is done, and in which steps."""
    chosen: Callable[[str, list[Path]], list[Named]]
    """The files of a command."""
    wrong_end: Callable[[End, Path, dict], str | None]
    """What is wrong with how the conversion of a broken file ended."""
    also_preloaded: list[str] = field(default_factory=list)
    guard: Callable[[Path, Report], Callable[[], str]] | None = None
    """Watches over what the broken files of a list are beside; gives what then checks that, and says what it did."""

    def sweep(self, args) -> None:
        task, steps = self.tasks[args.command]
        # Imported once here, so that a missing package is told at once.
        sys.path.insert(0, str((args.shared / "oracle").resolve()))
        for name in self.compare.PRELOADED:
            try:
                importlib.import_module(name)
            except ImportError as error:
                sys.exit(f"{sys.executable}: {error}; needed is what {self.compare.REQUIREMENTS} names")
        chosen = [(name, path) for name, path in self.chosen(args.command, args.places) if fnmatch.fnmatch(name, args.only)]
        work = [(name, path, step) for name, path in chosen for step in steps if fnmatch.fnmatch(step, args.step)]
        converter, report = Converter(args.dist), Report(self.known, args.command)
        oracle = Forks(self.compare.run, [HERE, args.shared / "oracle"], [*self.also_preloaded, *self.compare.PRELOADED])
        with ThreadPoolExecutor(args.jobs) as pool:
            results = pool.map(lambda one: task(converter, oracle, *one[1:]), work)
            for (name, _, step), problems in zip(work, results):
                report.add(name, f"{args.command}-{step}", problems)
        print(f"{len(chosen)} stores")
        report.end(whole=args.only == "*" and args.step == "*")

    def bad(self, args) -> None:
        (listing,) = args.places
        report = Report(self.known, "bad")
        guarded = self.guard(listing, report) if self.guard else None

        def problems(case: dict) -> list[str]:
            path = listing.parent / case["file"]
            with tempfile.TemporaryDirectory() as folder:
                end = converted(args.cli, path, Path(folder))
                wrong = end if isinstance(end, str) else self.wrong_end(end, path, case)
                return [] if wrong is None else [wrong]

        cases = json.loads(listing.read_text())
        with ThreadPoolExecutor(args.jobs) as pool:
            for case, found in zip(cases, pool.map(problems, cases)):
                report.add(case["file"], "bad", found)
        print(f"{len(cases)} stores" + (f"; {guarded()}" if guarded else ""))
        report.end(whole=True)

    def main(self, doc: str) -> None:
        parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("command", choices=[*self.tasks, "bad"])
        parser.add_argument("places", nargs="+", type=Path)
        parser.add_argument("--shared", type=Path)
        parser.add_argument("--dist", default=str(HERE.parents[1] / "dist"))
        parser.add_argument("--cli", type=shlex.split)
        parser.add_argument("--jobs", type=int, default=2)
        parser.add_argument("--only", default="*", metavar="GLOB", help="files with such a name")
        steps = {step: None for _, steps in self.tasks.values() for step in steps}
        parser.add_argument("--step", default="*", metavar="GLOB", help=f"of {', '.join(steps)}")
        args = parser.parse_args()
        self.bad(args) if args.command == "bad" else self.sweep(args)
