"""Converts Loom files and has the oracle compare what comes out with h5py and loompy.

    loom_stores.py export --shared DIR --dist dist FOLDER…    the tables of every file, as Arrow and as Parquet
    loom_stores.py again --shared DIR --dist dist FOLDER…     every file written again, by 3.0.0 and 2.0.1
    loom_stores.py bad --cli "node dist/cli/main.js" LIST     broken files end in a named error, odd ones in a warning

Python: what oracle/requirements-loom-mat.txt of the shared folder names. Problems that known-loom.txt names do not count;
a line of it that names no problem is a failure. Last line: "N passed, N failed".
"""

import re
import shutil
import tempfile
from pathlib import Path

import loom_compare
from broken import wrong_in_element
from converter import Converter
from forks import Forks
from store_checks import EXPORT, HERE, StoreChecks, files

REFUSED = re.compile(r"^convert: \w+: [^ ]*again\.loom: ((?:attrs|row_attrs|col_attrs)/[^:]+): ")


def again(converter: Converter, oracle: Forks, path: Path, step: str) -> list[str]:
    """What is refused is a problem; the file is converted without it then, so that all else is compared."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        original, out = Path(folder) / "original.loom", Path(folder) / "again.loom"
        shutil.copyfile(path, original)
        original.chmod(0o600)
        while (problem := converter.convert(original, out, {"version": step})) is not None:
            problems.append(problem)
            refused = REFUSED.match(problem)
            if refused is None or not remove(original, refused[1]):
                return problems
        return problems + oracle("again", str(original), str(out), step)


def remove(path: Path, element: str) -> bool:
    import h5py

    with h5py.File(path, "r+") as f:
        if element in f:
            del f[element]
            return True
        place, name = element.split("/", 1)
        if place != "attrs" or name not in f.attrs:
            return False
        del f.attrs[name]
        return True


CHECKS = StoreChecks(
    HERE / "known-loom.txt",
    loom_compare,
    {"export": EXPORT, "again": (again, ("3.0.0", "2.0.1"))},
    lambda _, folders: files(folders, (".loom",)),
    wrong_in_element,
)

if __name__ == "__main__":
    CHECKS.main(__doc__)
