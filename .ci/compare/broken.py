"""Whether the conversion of a broken file ends as it should: with a named error, soon, in little memory."""

import os
import re
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

SECONDS = 10
MEMORY = 450 << 20
NO_NAMED_ERROR = re.compile(r"TypeError|RangeError|RuntimeError|Aborted|Cannot read prop|\(unexpected;|heap")


@dataclass
class End:
    code: int
    stderr: list[str]
    left: bool
    """Whether output is left behind."""

    @property
    def last(self) -> str:
        return self.stderr[-1] if self.stderr else ""


def converted(cli: list[str], path: Path, folder: Path) -> End | str:
    """How the conversion of `path` to Arrow files in the empty `folder` ends; text for an end that none may have."""
    target = folder / "out"
    with open(folder / "err", "w+") as err:
        run = subprocess.Popen([*cli, "convert", str(path), f"{target}/", "--to", "arrow"], stdout=subprocess.DEVNULL, stderr=err)
        clock = threading.Timer(SECONDS, run.kill)
        clock.start()
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        hangs = not clock.is_alive()
        clock.cancel()
        err.seek(0)
        lines = err.read().strip().splitlines()
    if hangs:
        return f"no end in {SECONDS} s"
    if usage.ru_maxrss * 1024 > MEMORY:
        return f"took {usage.ru_maxrss >> 10} MiB"
    return End(run.returncode, lines, target.exists())


def no_named_error(end: End, path: Path) -> str | None:
    """None for an error of the library's that says which file, and leaves nothing."""
    if end.code != 1 or NO_NAMED_ERROR.search(end.last):
        return f"no named error, but code {end.code}: {end.last[:200]}"
    if path.name not in end.last:
        return f"an error that does not say which store: {end.last[:200]}"
    return "left output behind" if end.left else None


def wrong_in_element(end: End, path: Path, case: dict) -> str | None:
    """None for the end that `case` expects, which says in which element the fault is."""
    element = "" if case["element"] == "all objects" else case["element"]
    names_element = lambda line: element in line
    if case["expect"] == "warn":
        warned = any("warning: " in line and names_element(line) for line in end.stderr)
        return f"refused: {end.last}" if end.code else None if warned else "no warning names the element"
    if end.code == 0:
        return None if case["expect"] == "any" else f"accepted, though: {case['wrong']}"
    return no_named_error(end, path) or (None if names_element(end.last) else f"names another element: {end.last[:200]}")
