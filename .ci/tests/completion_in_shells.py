"""Presses Tab in bash, zsh and fish, and looks at what then stands in the line; last line: "N passed, N failed".

    python completion_in_shells.py FOLDER EXAMPLE

FOLDER is empty, and becomes the shells' own; EXAMPLE is a file with the tables of examples/pbmc.h5ad. The command
`annarrow` is found by PATH.
"""

import os
import shutil
import sys
import time
from pathlib import Path

import pexpect
import pyte

SHELLS = {
    "bash": (["--norc", "--noprofile"], "source <(annarrow complete bash)"),
    "bash-completion": (
        ["--norc", "--noprofile"],
        "source /usr/share/bash-completion/bash_completion; source <(annarrow complete bash)",
    ),
    "zsh": (["-f"], "autoload -U compinit; compinit -u; source <(annarrow complete zsh)"),
    "fish": (["--no-config"], "annarrow complete fish | source"),
}

# What is typed before Tab, and the end of the line behind it: what is unique is completed, and a space follows.
LINES = [
    ("conv", "annarrow convert"),
    ("union comm", "annarrow union commit"),
    ("complete z", "annarrow complete zsh"),
    ("convert --lay", "annarrow convert --layout"),
    ("convert pbmc.h5ad x --layout de", "--layout dense"),
    ("convert pbmc.h5ad x --layout=de", "--layout=dense"),
    ("head pbmc.h5ad obsp/c", "obsp/connectivities"),
    ("inspect pbmc.h5ad --table obsm/X_p", "--table obsm/X_pca"),
    ("inspect pbmc.h5ad --table=obsm/X_p", "--table=obsm/X_pca"),
    ("head 'my pbmc.h5ad' obsp/d", "obsp/distances"),
    ("head my\\ pbmc.h5ad obsp/d", "obsp/distances"),
    ("head pbmc.h5ad 'obsp/d", "'obsp/distances'"),
    ("inspect pb", "inspect pbmc.h5ad"),
    ("inspect my", "inspect my\\ pbmc.h5ad"),
    ("inspect 'my", "inspect 'my pbmc.h5ad'"),
    # Nothing of what is typed is run.
    ("convert '$(touch ran)' x --layout de", "--layout dense"),
]

WAIT_S = 15


def line_after(shell, typed, end, folder):
    """The last line of the terminal once it ends in `end`, or as it is after a while."""
    arguments, setup = SHELLS[shell]
    env = dict(os.environ, TERM="xterm", HOME=str(folder / "home"), LANG="C.UTF-8", PS1="$ ")
    screen = pyte.Screen(160, 40)
    stream = pyte.ByteStream(screen)
    child = pexpect.spawn(shell.split("-")[0], arguments, env=env, cwd=str(folder), dimensions=(40, 160))

    def shows(found):
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            try:
                stream.feed(child.read_nonblocking(1 << 16, 0.1))
            except pexpect.TIMEOUT:
                if found():
                    return True
        return False

    def lines():
        return [line.rstrip() for line in screen.display if line.strip()]

    try:
        shows(lambda: lines() != [])
        child.send(f"{setup}; echo re''ady\r")
        shows(lambda: any(line.endswith("ready") and "echo" not in line for line in lines()))
        child.send(f"annarrow {typed}")
        shows(lambda: any(typed in line for line in lines()))
        child.send("\t")
        shows(lambda: any(line.endswith(end) for line in lines()))
        return next((line for line in lines() if line.endswith(end)), "\n".join(lines()))
    finally:
        child.close(force=True)


def main(folder, example):
    (folder / "home").mkdir(parents=True)
    shutil.copy(example, folder / "pbmc.h5ad")
    shutil.copy(example, folder / "my pbmc.h5ad")
    passed = failed = 0
    for shell in SHELLS:
        for typed, end in LINES:
            line = line_after(shell, typed, end, folder)
            ran = (folder / "ran").exists()
            if line.endswith(end) and not ran:
                passed += 1
            else:
                failed += 1
                print(f"{shell}: annarrow {typed}<Tab> gives {line!r} instead of …{end}{', and runs it' if ran else ''}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
