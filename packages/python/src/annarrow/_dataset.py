"""Datasets and their tables."""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import pyarrow as pa
from annarrow._process import NodeProcess, node
from annarrow._reader import Reader
from annarrow.errors import AnnarrowError, InvalidInputError, error_of, shortened

Layout: TypeAlias = Literal["coordinate", "list", "dense", "columns"]
Rows: TypeAlias = "tuple[int, int] | range | slice"
Selector: TypeAlias = "str | slice | range | Iterable[str] | Iterable[int] | Iterable[bool]"
"""Positions of an axis: a condition in SQL (`"n_counts > 500"`), a slice, names, positions from 0 on, or a mask."""


@shortened
def open(  # noqa: A001
    path: str | os.PathLike[str],
    *,
    group: str | None = None,
    companion: str | None = None,
    follow: Sequence[str] = (),
    anonymous: bool = False,
    requester_pays: bool = False,
    text: Literal["error", "latin1"] = "error",
    open_as: Literal["hdf5", "zarr"] | None = None,
    cf: bool = False,
    frame: Sequence[str] = (),
) -> Dataset:
    """Open a dataset and read its structure, no values.

    Parameters
    ----------
    path
        A file, a folder, or an address (`https://`, `s3://`, `gs://`, `az://`, `hf://`, `grpc://`), as the command
        `annarrow` takes them.
    group
        The group of the file that holds the dataset, where it is not the root.
    companion
        Where copies of the matrices by genes are looked for (`annarrow index`): `"off"` for nowhere, or a folder.
    follow
        Folders to which a file may lead: a saved R object besides its own, and plain HDF5.
    anonymous
        Ask object stores without credentials.
    requester_pays
        Pay for requests to buckets whose readers pay.
    text
        What is done with text that is not UTF-8: `"latin1"` reads it as Latin-1.
    open_as
        Open any HDF5 or Zarr as the arrays that it holds.
    cf
        Plain HDF5 and Zarr: decode missing values, packed numbers and times by the CF conventions.
    frame
        Plain HDF5 and Zarr: groups whose arrays of one length are the columns of one table; `"/"` is the root.

    Raises
    ------
    NotFoundError
        Where there is no such file, or it is no annotated matrix.
    InvalidDataError
        Where the file breaks its own format.
    UnsupportedError
        For containers and formats that are not read.

    Examples
    --------
    >>> data = annarrow.open("examples/pbmc.h5ad")
    >>> data.shape
    (2700, 800)
    >>> data.table("obs").read(columns=["cell_type"]).num_rows
    2700
    """
    options: dict[str, Any] = {
        "path": group,
        "companion": companion,
        "follow": _name_list("follow", follow) or None,
        "anonymous": anonymous or None,
        "requesterPays": requester_pays or None,
        "text": None if text == "error" else text,
        "openAs": open_as,
        "cf": cf or None,
        "frame": _name_list("frame", frame) or None,
    }
    return Dataset(_absolute(path), {key: value for key, value in options.items() if value is not None})


@shortened
def files(*patterns: str | os.PathLike[str]) -> list[str]:
    """List the files that patterns match: `"runs/*.h5ad"`, `"s3://bucket/*/*.h5ad"`. A path that exists is itself.

    Raises
    ------
    NotFoundError
        For a pattern that matches nothing.
    """
    found: dict[str, list[str]] = node().ask(
        {"kind": "files", "patterns": [_absolute(one) for one in patterns], "options": {}}
    )
    return found["files"]


class Dataset:
    """A set of named tables, which `annarrow.open` opens.

    A dataset can be pickled: the other process opens the file again. Several threads can use it at once. The end of a
    `with` block closes it.
    """

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        self._path = path
        self._options = dict(options)
        self._process: NodeProcess | None = None
        self._number = 0
        self._found: dict[str, Any] = {}
        self._finalizer: weakref.finalize[[int], Dataset] | None = None
        self._open()

    @property
    def path(self) -> str:
        """The absolute path or address."""
        return self._path

    @property
    def format(self) -> str:
        """`anndata`, `mudata`, `10x`, `bpcells`, `loom`, `matlab`, `r`, `h5seurat`, or `tables`."""
        return str(self._found["format"])

    @property
    def shape(self) -> tuple[int, int] | None:
        """Observations and variables; None where the format has no such shape."""
        shape = self._found["shape"]
        return None if shape is None else (shape[0], shape[1])

    @property
    def tables(self) -> list[str]:
        """The names of the tables."""
        return list(self._found["tables"])

    @property
    def failures(self) -> dict[str, AnnarrowError]:
        """Elements that cannot be read, with the reasons; they hide no others."""
        return {name: error_of(error) for name, error in self._found["failures"].items()}

    @property
    def warnings(self) -> list[str]:
        """Facts about the file that a user should know, though no value is wrong."""
        return list(self._found["warnings"])

    @shortened
    def table(self, name: str, *, layout: Layout | None = None) -> Table:
        """Give the table `name`.

        Parameters
        ----------
        name
            As in `tables`: `"X"`, `"obs"`, `"layers/counts"`.
        layout
            Another form of a matrix: `"coordinate"` (row, col, value), `"list"`, `"dense"`, `"columns"`.

        Raises
        ------
        NotFoundError
            Where there is no such table; the message has the nearest names.
        """
        return Table(self, name, layout)

    def close(self) -> None:
        """Close the file. Readers that are not at their end fail."""
        if self._finalizer is not None and self._finalizer.detach() is not None and self._process is not None:
            self._process.close_dataset(self._number)

    def _open(self) -> None:
        process = node()
        found = process.ask({"kind": "open", "input": self._path, "options": self._options})
        self._process, self._number, self._found = process, found["dataset"], found
        self._finalizer = weakref.finalize(self, process.closings.put, self._number)
        self._finalizer.atexit = False

    def _where(self) -> tuple[NodeProcess, int]:
        """The process that has the dataset open, and its number there."""
        process = node()
        # After a fork, and after the death of the process, it has to be opened again.
        if process is not self._process:
            self._open()
        return process, self._number

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return Dataset, (self._path, self._options)

    def __repr__(self) -> str:
        shape = "" if self.shape is None else f" {self.shape[0]} x {self.shape[1]}"
        return f"<annarrow.Dataset {self._path} ({self.format}{shape}): {', '.join(self.tables)}>"


class Table:
    """One element of a dataset as an Arrow table. Nothing is read before it is asked for.

    It has Arrow's C stream interface, so that `pyarrow.table(table)` and `polars.DataFrame(table)` read it.
    """

    def __init__(self, dataset: Dataset, name: str, layout: Layout | None = None) -> None:
        self._dataset = dataset
        self._name = name
        self._layout = layout
        self._schema: pa.Schema | None = None
        self._found: dict[str, Any] = {}
        self._describe()

    @property
    def name(self) -> str:
        """The name of the table in its dataset."""
        return self._name

    @property
    def dataset(self) -> Dataset:
        """The dataset of the table."""
        return self._dataset

    @property
    def schema(self) -> pa.Schema:
        """The columns and their types."""
        return self._schema

    @property
    def num_rows(self) -> int | None:
        """The number of rows; None where only a scan can tell."""
        rows: int | None = self._found["rows"]
        return rows

    @property
    def metadata(self) -> dict[str, Any]:
        """Facts about the element that Arrow cannot express, as its `kind` and the `shape` of a matrix."""
        return dict(self._found["metadata"])

    @shortened
    def reader(
        self,
        columns: Sequence[str] | None = None,
        rows: Rows | None = None,
        where: Mapping[Literal["row", "col"], Selector] | None = None,
    ) -> Reader:
        """Read the table batch by batch.

        Parameters
        ----------
        columns
            Names of the columns, in this order; all by default. Other columns are not read.
        rows
            Rows of the table, as `(start, end)`, a range or a slice.
        where
            Positions along the axes of a matrix (`row`, `col`) or of `obs` and `var`: a condition in SQL, names,
            numbers, a mask, or a slice. What is not chosen is not decoded where the file allows it; the order is the
            stored one.

        Raises
        ------
        NotFoundError, InvalidInputError
            For columns, rows, names that the table does not have.

        Examples
        --------
        >>> X = annarrow.open("examples/pbmc.h5ad").table("X")
        >>> X.reader(columns=["col", "value"], rows=(0, 1000)).read_all().num_rows
        1000
        >>> with X.reader(where={"row": "cell_type = 'B cell'", "col": slice(0, 10)}) as reader:
        ...     found = sum(batch.num_rows for batch in reader)
        >>> import duckdb
        >>> reader = X.reader()
        >>> duckdb.sql("select count(*) from reader where value > 0").fetchall()
        [(187809,)]
        """
        request = self._request("read")
        if columns is not None:
            request["columns"] = _name_list("columns", columns)
        if rows is not None:
            request["rows"] = _range(rows, self.num_rows)
        if where is not None:
            if not isinstance(where, Mapping) or not {"row", "col"}.issuperset(where):
                raise InvalidInputError(
                    f'`where` has the keys "row" and "col", such as {{"row": "n_counts > 500"}}: {where!r}'
                )
            request["where"] = {axis: _selector(chosen) for axis, chosen in where.items()}
        process, request["dataset"] = self._dataset._where()
        return Reader(process.stream(request), self._dataset)

    @shortened
    def read(
        self,
        columns: Sequence[str] | None = None,
        rows: Rows | None = None,
        where: Mapping[Literal["row", "col"], Selector] | None = None,
    ) -> pa.Table:
        """Read the table into memory, with the arguments of `reader`."""
        with self.reader(columns, rows, where) as reader:
            return reader.read_all()

    def _request(self, kind: str) -> dict[str, Any]:
        request: dict[str, Any] = {"kind": kind, "table": self._name}
        if self._layout is not None:
            request["layout"] = self._layout
        return request

    def _describe(self) -> None:
        process, number = self._dataset._where()
        with process.stream({**self._request("schema"), "dataset": number}) as stream:
            self._schema = pa.ipc.read_schema(pa.py_buffer(stream.read()))
            self._found = stream.answer

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> Any:
        return Table, (self._dataset, self._name, self._layout)

    def __repr__(self) -> str:
        rows = "rows unknown" if self.num_rows is None else f"{self.num_rows} rows"
        columns = ", ".join(f"{field.name}: {field.type}" for field in list(self.schema)[:8])
        return f"<annarrow.Table {self._name} ({rows}): {columns}{', ...' if len(self.schema) > 8 else ''}>"


def _absolute(path: str | os.PathLike[str]) -> str:
    """Node has another working directory than Python after a `chdir`."""
    text = os.fspath(path)
    return text if text == "" or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://", text) else os.path.abspath(text)


def _name_list(argument: str, names: Sequence[str]) -> list[str]:
    if isinstance(names, str):
        raise InvalidInputError(f"`{argument}` is a list: [{names!r}]")
    return list(names)


def _range(rows: Rows, count: int | None) -> list[int]:
    if isinstance(rows, slice):
        rows = range(*rows.indices(2**53 if count is None else count))
    if isinstance(rows, range):
        if rows.step != 1:
            raise ValueError("rows follow each other; a step is for `where`")
        rows = (rows.start, max(rows.start, rows.stop))
    if not isinstance(rows, (tuple, list)) or len(rows) != 2:
        raise InvalidInputError('`rows` is (start, end), a range or a slice; `where={"row": [...]}` takes positions')
    start, end = rows
    return [int(start), int(end)]


def _selector(chosen: Selector) -> Any:
    if isinstance(chosen, str):
        return {"sql": chosen}
    if isinstance(chosen, slice) and chosen.step in (None, 1) and (chosen.start or 0) >= 0 and (chosen.stop or 0) >= 0:
        return {"slice": [chosen.start or 0, chosen.stop]}
    if isinstance(chosen, range) and chosen.step == 1:
        return {"slice": [chosen.start, max(chosen.start, chosen.stop)]}
    if isinstance(chosen, slice):
        raise ValueError("a slice of an axis has no step, and no end that is counted backwards")
    # numpy, pandas, pyarrow and Polars: numbers of Python are in a list of theirs.
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(chosen, method):
            return getattr(chosen, method)()
    return list(chosen)
