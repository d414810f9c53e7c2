"""
Presses Tab in bash, zsh and fish, which complete the command by what `annarrow complete` prints: complete-in-shells.py FILE
`annarrow` is on the PATH; FILE is an `.h5ad`, whose tables are completed too. Last line: "N passed, N failed".
"""

import os
import pty
import re
import select
import shutil
import signal
import sys
import tempfile
import time

FILE = os.path.abspath(sys.argv[1])
# What is typed, and what the shell shows behind it.
CASES = [
    ("annarrow conv", r"annarrow convert\b"),
    ("annarrow inspect in.h", r"annarrow inspect in\.h5ad\b"),
    ("annarrow convert in.h5ad x.zarr --compr", r"--compression\b"),
    ("annarrow convert in.h5ad x --to bpcells.", r"bpcells\.(h5|rds)"),
    ("annarrow head in.h5ad obsm/X_u", r"annarrow head in\.h5ad obsm/X_umap"),
]
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(annarrow complete bash)"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u; source <(annarrow complete zsh)"),
    "fish": (["fish", "--no-config", "-i"], "annarrow complete fish | source"),
}
CONTROL = re.compile(r"\x1b\[[0-9;?>=]*[a-zA-Z]|\x1b[=>()][A-Z0-9]?|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|[\r\x07]")


def shown(shell: str, typed: str, pattern: str, folder: str) -> str | None:
    """What a shell shows behind two presses of Tab; None as soon as it is what is expected."""
    command, setup = START[shell]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm", HOME=folder, PS1="$ ")
        os.execvp(command[0], command)
    try:
        read(terminal, 1.5)
        os.write(terminal, f"{setup}; echo read''y\n".encode())
        read(terminal, 20, "ready")
        os.write(terminal, f"{typed}\t".encode())
        text = read(terminal, 3, pattern)
        if not re.search(pattern, text):
            os.write(terminal, b"\t")
            text += read(terminal, 10, pattern)
        return None if re.search(pattern, text) else text
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def read(terminal: int, seconds: float, until: str | None = None) -> str:
    """What a terminal shows within some seconds, or until a pattern is there."""
    end, text = time.monotonic() + seconds, ""
    while (left := end - time.monotonic()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            break
        try:
            text += os.read(terminal, 65536).decode(errors="replace")
        except OSError:
            break
        if until is not None and re.search(until, CONTROL.sub("", text)):
            break
    return CONTROL.sub("", text)


passed = failed = 0
for shell in START:
    if shutil.which(shell) is None:
        print(f"FAILED: {shell} is not installed")
        failed += 1
        continue
    for typed, pattern in CASES:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(FILE, os.path.join(folder, "in.h5ad"))
            found = shown(shell, typed, pattern, folder)
        passed, failed = (passed + 1, failed) if found is None else (passed, failed + 1)
        print(f"{'ok' if found is None else 'FAILED'}: {shell}: {typed}" + ("" if found is None else f": {found!r}"))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
