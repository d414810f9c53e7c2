"""Batches of a table, one after another."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from annarrow._process import Stream


class Reader(pa.ipc.RecordBatchStreamReader):  # type: ignore[misc]
    """A `pyarrow.RecordBatchReader` of a table that Node reads.

    Batches are read when they are asked for. `close()`, the end of a `with` block, or dropping the reader stops the
    reading. It can be given to everything that takes readers or Arrow's C stream: DuckDB, Polars, `pyarrow.dataset`.
    """

    def __init__(self, stream: Stream, origin: object) -> None:
        self._stream = stream
        # The dataset stays open while it is read.
        self._origin = origin
        super().__init__(stream)

    def close(self) -> None:
        """Stop the reading."""
        self._stream.close()

    def __reduce__(self) -> Any:
        raise TypeError("a reader cannot be pickled; pickle the table, or the dataset")
