"""A data source of Spark 4.1.

    spark.dataSource.register(annarrow.spark.AnnDataSource)
    spark.read.format("annarrow").option("table", "X").load("s3://bucket/*/*.h5ad").where("col = 17")

Every executor needs this package. With `spark.sql.python.filterPushdown.enabled`, conditions on `row` and `col` choose
what is decoded.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any
from uuid import uuid4

import pyarrow as pa
from annarrow._dataset import Dataset, Table, files, open  # noqa: A004
from annarrow.errors import InvalidInputError, UnsupportedError
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceWriter,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType

FILENAME = "filename"
"""The column with the path of the file, where several files are read."""

_AXES = ("row", "col")


class AnnDataSource(DataSource):  # type: ignore[misc]
    """Tables of annotated matrices as data frames of Spark.

    Options, in `spark.read.format("annarrow").option(...)`:

    - `table`: `X`, `obs`, `layers/counts`; needed.
    - `columns`: names, separated by commas; all by default. Spark does not tell which columns a query needs.
    - `partitionBytes`: about how many bytes of Arrow a task reads; 64 MiB by default.
    - `mergeSchema`: whether the types of all files are united. By default they are those of the first file, and values
      of another file that do not fit are an error.
    - `layout`, `group`, `companion`, `anonymous`, `requesterPays`, `text`, `openAs`, `cf`: as in `annarrow.open`.
    - `frame`: as in `annarrow.open`; groups, separated by commas.

    `load` takes a path, a list of paths, or a pattern; with more than one file there is a column `filename`. A column
    of the files with this name, in any case, is `filename_1` then.

    `df.write.format("annarrow").option("table", "X").mode("append").save("out/")` writes a table of a folder that all
    executors see; `mode("overwrite")` replaces this table alone. The files appear by one step at the end.
    """

    @classmethod
    def name(cls) -> str:
        """Give the name for `format`."""
        return "annarrow"

    def schema(self) -> StructType:
        """Give the columns, as the metadata of the files tell them."""
        source = _Source(self.options)
        schemas = [source.named(table.schema) for table in source.tables(None if source.merges else 1)]
        merged = schemas[0] if len(schemas) == 1 else pa.unify_schemas(_plain(schemas), promote_options="permissive")
        fields = [_spark_field(merged.field(name)) for name in source.columns or merged.names]
        return StructType([*([StructField(FILENAME, StringType())] if source.is_several else []), *fields])

    def reader(self, schema: StructType) -> DataSourceReader:
        """Give the reader of these columns."""
        return (_FilteringReader if _asks_for_filters() else _Reader)(_Source(self.options), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Give the writer of a table of a folder."""
        from annarrow._spark_writer import TableWriter

        source = _Source(self.options)
        [path] = source.paths
        return TableWriter(path if "://" in path else os.path.abspath(path), source.table_name, schema, overwrite)


@dataclass
class _Source:
    """The files of a data frame, and how they are opened."""

    options: Any

    def __post_init__(self) -> None:
        self.options = {key.lower(): value for key, value in self.options.items()}
        known = {"path", "paths", "table", "columns", "partitionbytes", "mergeschema", "layout"}
        known |= {"group", "companion", "anonymous", "requesterpays", "openas", "cf", "frame"}
        unknown = sorted(self.options.keys() - known)
        if unknown:
            raise InvalidInputError(f"no option {unknown[0]!r}; there are {', '.join(sorted(known))}")
        if "table" not in self.options:
            raise InvalidInputError('which table? .option("table", "X")')
        paths = json.loads(self.options.get("paths", "[]"))
        self.paths: list[str] = paths or [self.options["path"]]
        self.table_name: str = self.options["table"]
        self.columns = _names(self.options.get("columns"))
        self.merges = _is_true(self.options.get("mergeschema"))
        self.partition_bytes = max(1, int(self.options.get("partitionbytes", 2**26)))
        self.is_several = len(self.paths) > 1 or re.search(r"[*?\[{]", self.paths[0]) is not None

    def own_names(self, names: Sequence[str]) -> dict[str, str]:
        """The names of a table's columns by their names in the data frame, which has a column `filename` of its own."""
        taken = {name.lower() for name in names}
        own = {}
        for name in names:
            free = (f"{name}_{number}" for number in itertools.count(1))
            istaken = self.is_several and name.lower() == FILENAME
            own[next(one for one in free if one.lower() not in taken) if istaken else name] = name
        return own

    def named(self, schema: pa.Schema) -> pa.Schema:
        """The schema under the names of the data frame."""
        names = list(self.own_names(schema.names))
        return pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])

    def files(self) -> list[str]:
        return files(*self.paths) if self.is_several else self.paths

    def open(self, file: str) -> Dataset:
        return open(
            file,
            group=self.options.get("group"),
            companion=self.options.get("companion"),
            anonymous=_is_true(self.options.get("anonymous")),
            requester_pays=_is_true(self.options.get("requesterpays")),
            text=self.options.get("text", "error"),
            open_as=self.options.get("openas"),
            cf=_is_true(self.options.get("cf")),
            frame=_names(self.options.get("frame")),
        )

    def table(self, file: str) -> Table:
        return self.open(file).table(self.table_name, layout=self.options.get("layout"))

    def tables(self, most: int | None = None) -> Iterator[Table]:
        for file in self.files()[:most]:
            yield self.table(file)


@dataclass
class _Part(InputPartition):  # type: ignore[misc]
    """Rows of the table of one file, or its entries at positions along one axis."""

    file: str
    rows: tuple[int, int] | None
    where: dict[str, slice | list[int]] | None


class _Reader(DataSourceReader):  # type: ignore[misc]
    """Reads batches, one partition a task."""

    def __init__(self, source: _Source, schema: StructType) -> None:
        self._source = source
        self._query = uuid4().hex
        self._schema = schema
        self._chosen: dict[str, list[_Choice]] = {}

    def partitions(self) -> Sequence[InputPartition]:
        """Cut every file by rows."""
        return [part for file in self._source.files() for part in self._parts(file)]

    def _parts(self, file: str) -> Iterator[_Part]:
        table = self._source.table(file)
        rows = table.num_rows
        if rows is None:
            yield _Part(file, None, None)
            return
        own = self._source.own_names(table.schema.names)
        names = [own[name] for name in self._schema.names if name in own]
        row_bytes = sum(_width(table.schema.field(name).type) for name in names) or 1
        if not self._chosen:
            step = max(1, int(self._source.partition_bytes / row_bytes))
            # A range that begins where a chunk does costs nothing twice.
            step = -(-step // 2**16) * 2**16 if step > 2**16 else step
            for start in range(0, max(rows, 1), step):
                yield _Part(file, (start, min(start + step, rows)), None)
            return
        # Entries at positions: cut along the axis by which they are stored, which costs only their own entries.
        first = 1 if table.metadata.get("order") == "column" else 0
        pieces = max(1, round(rows * row_bytes / self._source.partition_bytes))
        sizes = table.metadata["shape"]
        where = {axis: _positions(self._chosen.get(axis, []), size) for axis, size in zip(_AXES, sizes, strict=True)}
        for piece in _cut(where[_AXES[first]], pieces):
            yield _Part(file, None, {**where, _AXES[first]: piece})

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        """Read the batches of a partition, with the types that Spark has."""
        if partition is None:
            return
        schema = to_arrow_schema(self._schema)
        table = _table_of(self._query, partition.file, json.dumps(self._source.options))
        own = self._source.own_names(table.schema.names)
        wanted = [own[name] for name in schema.names if name in own]
        path = partition.file if self._source.is_several else None
        with table.reader(wanted or table.schema.names[:1], partition.rows, partition.where) as reader:
            for batch in reader:
                columns = [_column(batch, field, own.get(field.name), path) for field in schema]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)


class _FilteringReader(_Reader):
    """Takes conditions on the positions of a sparse matrix."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        """Take what chooses positions; Spark applies the others."""
        first = next(self._source.tables(1), None)
        isentries = first is not None and first.schema.names == [*_AXES, "value"] and "shape" in first.metadata
        for one in filters:
            choice = _choice(one) if isentries else None
            if choice is None:
                yield one
            else:
                self._chosen.setdefault(choice.axis, []).append(choice)


@dataclass
class _Choice:
    """A condition on one axis."""

    axis: str
    least: int | None = None
    end: int | None = None
    among: list[int] | None = None


def _choice(one: Filter) -> _Choice | None:
    attribute: tuple[str, ...] = getattr(one, "attribute", ())
    value: Any = getattr(one, "value", None)
    if len(attribute) != 1 or attribute[0] not in _AXES:
        return None
    axis = attribute[0]
    if isinstance(one, In):
        return _Choice(axis, among=[int(place) for place in value if place is not None])
    if not isinstance(value, int):
        return None
    if isinstance(one, EqualTo):
        return _Choice(axis, value, value + 1)
    if isinstance(one, GreaterThan):
        return _Choice(axis, least=value + 1)
    if isinstance(one, GreaterThanOrEqual):
        return _Choice(axis, least=value)
    if isinstance(one, LessThan):
        return _Choice(axis, end=value)
    if isinstance(one, LessThanOrEqual):
        return _Choice(axis, end=value + 1)
    return None


def _positions(choices: list[_Choice], size: int) -> slice | list[int]:
    """The positions of an axis for which all conditions hold."""
    start = max([0, *(choice.least for choice in choices if choice.least is not None)])
    end = min([size, *(choice.end for choice in choices if choice.end is not None)])
    lists = [set(choice.among) for choice in choices if choice.among is not None]
    if not lists:
        return slice(min(start, max(end, 0)), max(end, 0))
    return sorted(place for place in reduce(set.intersection, lists) if start <= place < end)


def _cut(positions: slice | list[int], pieces: int) -> Iterator[slice | list[int]]:
    """Cut positions into pieces of one size; one piece at least."""
    start, count = (
        (positions.start, positions.stop - positions.start) if isinstance(positions, slice) else (0, len(positions))
    )
    step = max(1, -(-count // pieces))
    for at in range(0, max(count, 1), step):
        end = min(at + step, count)
        yield slice(start + at, start + end) if isinstance(positions, slice) else positions[at:end]


@lru_cache(4)
def _table_of(_query: str, file: str, options: str) -> Table:
    """Open a file once for the tasks of one query in one process; the next query sees what has changed since."""
    return _Source(json.loads(options)).table(file)


def _asks_for_filters() -> bool:
    """Tell whether Spark will call `pushFilters`: where it will not, it refuses a reader that has it."""
    return any(name.endswith("data_source_pushdown_filters") for name in [*sys.modules, *sys.argv])


def _column(batch: pa.RecordBatch, field: pa.Field, own: str | None, path: str | None) -> pa.Array:
    """The column of a data frame: the path of the file, the column `own` of the table, or nulls where it has none."""
    if own is not None:
        return _cast(batch.column(own), field.type)
    if field.name == FILENAME and path is not None:
        return pa.repeat(pa.scalar(path, field.type), batch.num_rows)
    return pa.nulls(batch.num_rows, field.type)


def _cast(column: pa.Array, to: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_float16(column.type):
        return column.cast(pa.float32()).cast(to)
    return column.cast(to)


def _plain(schemas: list[pa.Schema]) -> list[pa.Schema]:
    """The schemas with types that can be united."""
    return [pa.schema([pa.field(field.name, _of_spark(field.type)) for field in schema]) for schema in schemas]


def _spark_field(field: pa.Field) -> StructField:
    type_ = _of_spark(field.type)
    try:
        return StructField(field.name, from_arrow_type(type_, prefer_timestamp_ntz=True))
    except Exception as cause:
        problem = f'Spark has no type for {field.type}, of the column "{field.name}"; leave it out by "columns"'
        raise UnsupportedError(problem) from cause


_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
}


def _of_spark(type_: pa.DataType) -> pa.DataType:
    """The nearest type that Spark has."""
    if type_ in _WIDER:
        return _WIDER[type_]
    if pa.types.is_dictionary(type_):
        return _of_spark(type_.value_type)
    if pa.types.is_duration(type_):
        return pa.int64()
    if pa.types.is_timestamp(type_):
        return pa.timestamp("us", type_.tz)
    if pa.types.is_fixed_size_list(type_) or pa.types.is_list(type_):
        return pa.list_(_of_spark(type_.value_type))
    if pa.types.is_struct(type_):
        return pa.struct([pa.field(field.name, _of_spark(field.type)) for field in type_])
    return type_


def _width(type_: pa.DataType) -> float:
    """About how many bytes a value takes."""
    if pa.types.is_dictionary(type_):
        return _width(type_.index_type)
    if pa.types.is_fixed_size_list(type_):
        return float(type_.list_size) * _width(type_.value_type)
    if pa.types.is_struct(type_):
        return sum(_width(field.type) for field in type_)
    try:
        return float(type_.bit_width) / 8
    except ValueError:
        return 32


def _names(value: str | None) -> list[str]:
    """Give the names of an option that has them separated by commas."""
    return [name.strip() for name in (value or "").split(",") if name.strip()]


def _is_true(text: str | None) -> bool:
    return text is not None and text.lower() == "true"
