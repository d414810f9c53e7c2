"""What a command of an oracle finds."""

import contextlib
import io
import sys


def asked(oracle, *command: str) -> list[str]:
    """The problems that it prints, as lines that begin with FAIL; else its last line, where it ends with a code."""
    sys.argv = [*command]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = oracle.main()
        except BaseException as error:  # noqa: BLE001
            code, _ = 2, out.write(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
    lines = out.getvalue().strip().splitlines()
    found = [line.removeprefix("FAIL ") for line in lines if line.startswith("FAIL ")]
    return found or ([] if code == 0 else lines[-1:] or [f"exit code {code}"])


def asked_export(oracle, script: str, original: str, folder: str) -> list[str]:
    import tables

    # It prints where the standard output was when it was imported.
    oracle.compare_export = lambda *args, **more: tables.compare_export(*args, out=sys.stdout, **more)
    return asked(oracle, script, "export", original, folder)


def answered(tasks: dict, oracle, task: str, *args) -> None:
    """Sends the problems that one of `tasks` finds through the last of `args`."""
    *args, answer = args
    try:
        answer.send(tasks[task](oracle, *args))
    except BaseException as error:  # noqa: BLE001
        answer.send([f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"])
