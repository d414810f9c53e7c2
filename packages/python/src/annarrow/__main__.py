"""The command `annarrow`: the command line of the library."""

import os
import subprocess
import sys

from annarrow._process import command


def main() -> None:
    """Run it with the arguments of this process."""
    arguments = command(*sys.argv[1:])
    if os.name == "nt":
        sys.exit(subprocess.run(arguments).returncode)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    main()
