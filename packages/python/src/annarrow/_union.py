"""The files of a union."""

from __future__ import annotations

import json
import os
from typing import Any

from annarrow.errors import InvalidDataError, NotFoundError, shortened
from pyarrow import fs


@shortened
def union_files(folder: str | os.PathLike[str], table: str) -> list[str]:
    """List the Parquet files that a table of a union has, in the order of their rows.

    The manifest tells which files count; a pattern over the folder would find files of removed datasets, too.

    Parameters
    ----------
    folder
        The folder of `annarrow union`, or of `annarrow convert --to parquet`. Object stores are read by pyarrow's file
        systems.
    table
        `"X"`, `"obs"`, `"var"`, `"layers/counts"`.

    Raises
    ------
    NotFoundError
        Where the folder has no manifest, or no such table.

    Examples
    --------
    >>> files = annarrow.union_files("atlas/", "X")  # doctest: +SKIP
    >>> pyarrow.dataset.dataset(files).count_rows()  # doctest: +SKIP
    >>> polars.scan_parquet(files)  # doctest: +SKIP
    >>> duckdb.read_parquet(files)  # doctest: +SKIP
    """
    base = os.fspath(folder).rstrip("/")
    manifest = union_manifest(base)
    tables: dict[str, Any] = {one["name"]: one for one in manifest["tables"]}
    if table not in tables:
        raise NotFoundError(f"no table {json.dumps(table)}; there are {', '.join(tables)}", base)
    found = tables[table]
    parts = [part["file"] for part in found["parts"]] if "parts" in found else [found["file"]]
    return [f"{base}/{part}" for part in parts]


def union_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the manifest of a folder of tables."""
    base = os.fspath(folder).rstrip("/")
    path = f"{base}/manifest.json"
    try:
        system, inner = file_system(path)
        with system.open_input_stream(inner) as stream:
            text = stream.read()
    except FileNotFoundError:
        raise NotFoundError("no folder of tables: it has no manifest.json", base) from None
    manifest: dict[str, Any] = json.loads(text)
    if not isinstance(manifest, dict) or "tables" not in manifest:
        raise InvalidDataError("no manifest of tables", path)
    return manifest


def file_system(path: str) -> tuple[fs.FileSystem, str]:
    """Give the file system of a path or an address, and the path in it."""
    system, inner = fs.FileSystem.from_uri(path) if "://" in path else (fs.LocalFileSystem(), path)
    return system, inner
