"""loompy, where it is installed: Python 3.11 with requirements-loom.txt; with LOOMPY=required it must be there."""

import importlib.util
import json
import os
import platform
import subprocess
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc as ipc
import pytest

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
VERSIONS = ("3.0.0", "2.0.1")

if importlib.util.find_spec("loompy") is None:
    here = f"CPython {platform.python_version()}, {platform.system()} {platform.machine()}"
    assert os.environ.get("LOOMPY") != "required", f"LOOMPY=required, but {here} has no loompy"
    pytest.skip(f"loompy needs numpy 1, in an environment of its own; this is {here}", allow_module_level=True)

import pandas as pd

# Text as objects: anndata of that time writes no other.
pd.options.future.infer_string = False
# What loompy calls of numpy, scipy, and h5py has newer names.
warnings.filterwarnings("ignore", category=DeprecationWarning)
warnings.filterwarnings("ignore", category=FutureWarning)


def annarrow(*arguments) -> str:
    """What it says on the standard error."""
    run = subprocess.run([*CLI, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stderr


def tables(store: Path, folder: Path) -> dict[str, pa.Table]:
    """The tables of a file, by their names."""
    annarrow("convert", store, f"{folder}/", "--to", "arrow")
    listed = json.loads((folder / "manifest.json").read_text())["tables"]
    return {entry["name"]: ipc.open_file(folder / entry["file"]).read_all() for entry in listed}
