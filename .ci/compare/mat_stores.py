"""Converts MATLAB files and has the oracle compare what comes out with h5py, hdf5storage, mat73, pymatreader and libmatio.

    mat_stores.py export --shared DIR --dist dist FOLDER…    the tables of every file
    mat_stores.py again --shared DIR --dist dist FOLDER…     every file written again, in both profiles: all of these open it
    mat_stores.py bad --cli "node dist/cli/main.js" LIST     broken files end in a named error, odd ones in a warning

Python: what oracle/requirements-loom-mat.txt of the shared folder names; MATIO_DUMP: the built oracle/matio_dump.c.
Problems that known-mat.txt names do not count; a line of it that names no problem is a failure. Files of MATLAB before
7.3, which are no HDF5, are left out. Last line: "N passed, N failed".
"""

import tempfile
from pathlib import Path

import mat_compare
from broken import wrong_in_element
from converter import Converter
from forks import Forks
from store_checks import EXPORT, HERE, Named, StoreChecks, files

SIGNATURE = b"\x89HDF\r\n\x1a\n"


def stores(_: str, folders: list[Path]) -> list[Named]:
    found = []
    for name, path in files(folders, (".mat", ".set", ".h5")):
        with open(path, "rb") as file:
            found += [(name, path)] if file.read(520)[512:] == SIGNATURE else []
    return found


def again(converter: Converter, oracle: Forks, path: Path, _: str) -> list[str]:
    """Written in both profiles; what has no types of Python is the same in both."""
    problems, compared = [], None
    for profile in ("MATLAB", "hdf5storage"):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "again.mat"
            problem = converter.convert(path, out, {"format": "mat", "profile": profile})
            if problem is not None:
                problems.append(f"{profile}: {problem}")
                continue
            # After the header, which has the time.
            if (written := out.read_bytes()[512:]) != compared:
                problems += [f"{profile}: {one}" for one in oracle("again", str(path), str(out))]
            compared = written
    return problems


CHECKS = StoreChecks(
    HERE / "known-mat.txt",
    mat_compare,
    {"export": EXPORT, "again": (again, ("mat",))},
    stores,
    wrong_in_element,
)

if __name__ == "__main__":
    CHECKS.main(__doc__)
