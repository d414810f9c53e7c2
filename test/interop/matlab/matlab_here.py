"""Readers of MATLAB files, where hdf5storage is installed: with MATLAB=required it must be there, and libmatio."""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
PROFILES = ("MATLAB", "hdf5storage")
REQUIRED = os.environ.get("MATLAB") == "required"

if importlib.util.find_spec("hdf5storage") is None:
    assert not REQUIRED, f"MATLAB=required, but {platform.python_version()} has no hdf5storage"
    pytest.skip("no hdf5storage", allow_module_level=True)

import pandas as pd

# Text as objects: older versions of anndata write no other.
pd.options.future.infer_string = False
# What these libraries call of each other and of numpy has newer names.
warnings.filterwarnings("ignore", category=DeprecationWarning)
warnings.filterwarnings("ignore", category=FutureWarning)
warnings.filterwarnings("ignore", category=UserWarning)


def annarrow(*arguments) -> str:
    """What it says on the standard error."""
    run = subprocess.run([*CLI, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stderr


def tables(store: Path, folder: Path) -> dict[str, object]:
    """The tables of a file, by their names."""
    import pyarrow.ipc as ipc

    annarrow("convert", store, f"{folder}/", "--to", "arrow")
    listed = json.loads((folder / "manifest.json").read_text())["tables"]
    return {entry["name"]: ipc.open_file(folder / entry["file"]).read_all() for entry in listed}


def built_matio() -> Path | None:
    """libmatio's reader; None where libmatio or a compiler is missing."""
    folder = Path(tempfile.mkdtemp(prefix="annarrow-matio-"))
    program, compiler = folder / "matio_values", shutil.which("cc")
    source = Path(__file__).parent / "matio_values.c"
    command = [compiler or "cc", "-o", str(program), str(source), "-lmatio"]
    made = compiler is not None and subprocess.run(command, capture_output=True).returncode == 0
    assert made or not REQUIRED, "MATLAB=required, but there is no libmatio, or no compiler"
    return program if made else None


MATIO = built_matio()
