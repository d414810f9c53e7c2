"""Writes data frames of Spark as tables of a folder that annarrow opens.

Every task writes a file of Parquet under a name of its own. The commit lists the files of the tasks that count in
`manifest.json`, which it replaces in one step: until then nobody reads them. What a killed or repeated task has left is
never read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from annarrow.errors import InvalidInputError, NotFoundError
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


@dataclass
class _Written(WriterCommitMessage):  # type: ignore[misc]
    """The file of one task."""

    file: str
    rows: int


class TableWriter(DataSourceArrowWriter):  # type: ignore[misc]
    """Writes one table of a folder: its other tables stay."""

    def __init__(self, folder: str, table: str, schema: StructType, overwrite: bool) -> None:
        if "://" in folder:
            raise InvalidInputError("tables are written into a folder that all executors see, to no address", folder)
        self._folder = folder
        self._table = table
        self._schema = schema
        self._overwrite = overwrite

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write what one task has."""
        file = f"{quote(self._table)}/{uuid4().hex}.parquet"
        path = Path(self._folder, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = 0
        schema = to_arrow_schema(self._schema).with_metadata({"annarrow": json.dumps({"kind": self._kind})})
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch in iterator:
                writer.write_batch(batch.cast(schema))
                rows += batch.num_rows
        return _Written(file, rows)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """List the files, in the order of the partitions."""
        manifest = self._manifest()
        before = next((one for one in manifest["tables"] if one["name"] == self._table), None)
        if before is not None and "parts" not in before:
            raise InvalidInputError("the table is one file, to which nothing is appended", self._folder, self._table)
        parts = [] if before is None or self._overwrite else before["parts"]
        parts = [*parts, *({"file": one.file, "rows": one.rows} for one in messages if isinstance(one, _Written))]
        rows = sum(part["rows"] for part in parts)
        table = {"name": self._table, "parts": parts, "kind": self._kind, "rows": rows}
        manifest["tables"] = [*(one for one in manifest["tables"] if one is not before), table]
        lengths = {one["name"]: one["rows"] for one in manifest["tables"]}
        # Matrices have a shape once both axes are there.
        manifest["shape"] = [lengths["obs"], lengths["var"]] if {"obs", "var"} <= lengths.keys() else None
        unfinished = Path(self._folder, f"manifest.json.{uuid4().hex}")
        unfinished.write_text(json.dumps(manifest, indent=2))
        os.replace(unfinished, Path(self._folder, "manifest.json"))

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Remove what was written."""
        for one in messages:
            if isinstance(one, _Written):
                Path(self._folder, one.file).unlink(missing_ok=True)

    @property
    def _kind(self) -> str:
        """Entries in no promised order, or a frame."""
        return "csr_matrix" if self._schema.names == ["row", "col", "value"] else "dataframe"

    def _manifest(self) -> dict[str, Any]:
        path = Path(self._folder, "manifest.json")
        if path.exists():
            manifest: dict[str, Any] = json.loads(path.read_text())
            if "union" in manifest:
                raise InvalidInputError("a union grows by `annarrow union add`, not by other writers", self._folder)
            return manifest
        if not Path(self._folder).is_dir():
            raise NotFoundError("the driver does not see the folder that the executors have written", self._folder)
        head = {"annarrow": 1, "format": "anndata", "formatVersion": "", "container": "parquet", "shape": None}
        return {**head, "tables": []}
