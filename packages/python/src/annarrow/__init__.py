"""Annotated matrices (AnnData, MuData, Loom, Cell Ranger, BPCells, MATLAB) as Apache Arrow.

    import annarrow

    data = annarrow.open("pbmc.h5ad")
    data.tables                                    # ['obs', 'var', 'X', 'obsm/X_umap', ...]
    data.table("X").reader(where={"row": "cell_type = 'B cell'"})   # a pyarrow.RecordBatchReader
    annarrow.scan("pbmc.h5ad", "obs")              # a polars.LazyFrame
    annarrow.view("pbmc.h5ad")                     # a page, which notebooks show in a frame

Paths are those of the command `annarrow`, which this package installs, too: files, folders, `https://`, `s3://`,
`gs://`, `az://`, `hf://`, and folders that `annarrow union` has made. One process of Node.js reads for all datasets; it
starts with the first, and ends with Python.
"""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from types import ModuleType as _ModuleType

from annarrow._dataset import Dataset, Table, files, open  # noqa: A004 (annarrow.open, as gzip.open)
from annarrow._reader import Reader
from annarrow._scan import scan
from annarrow._union import union_files
from annarrow._view import View, view
from annarrow.errors import (
    AnnarrowError,
    InvalidDataError,
    InvalidInputError,
    MissingDependencyError,
    NotFoundError,
    UnsupportedError,
)


def __getattr__(name: str) -> _ModuleType:
    # `annarrow.spark` needs pyspark, which is imported with it.
    if name == "spark":
        return _import_module("annarrow.spark")
    raise AttributeError(f"module 'annarrow' has no attribute {name!r}")


__version__ = _version("annarrow")

__all__ = [
    "AnnarrowError",
    "Dataset",
    "InvalidDataError",
    "InvalidInputError",
    "MissingDependencyError",
    "NotFoundError",
    "Reader",
    "Table",
    "UnsupportedError",
    "View",
    "files",
    "open",
    "scan",
    "union_files",
    "view",
]
