"""Tables as lazy frames of Polars."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from annarrow._dataset import Layout, Table, open  # noqa: A004
from annarrow.errors import shortened

if TYPE_CHECKING:
    import polars as pl

_AXES = ("row", "col")

_LONGEST_AXIS = 2**27
"""Conditions on a longer axis are not tried on all of its positions."""

_KNOWN = {"BinaryExpr", "Column", "Literal", "Function", "Cast"}
_FUNCTIONS = {"Boolean"}


@shortened
def scan(path: str | os.PathLike[str], table: str, *, layout: Layout | None = None, **options: Any) -> pl.LazyFrame:
    """Make a lazy frame of a table. Only the columns that a query needs are read, batch by batch.

    Conditions on the positions `row` and `col` of a matrix choose what is decoded. Polars applies all others to the
    batches.

    Parameters
    ----------
    path, options
        As in `annarrow.open`.
    table, layout
        As in `Dataset.table`.

    Examples
    --------
    >>> import polars as pl
    >>> X = annarrow.scan("examples/pbmc.h5ad", "X")
    >>> X.filter(pl.col("col") == 17).select(pl.col("value").sum()).collect().shape
    (1, 1)
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    source = open(path, **options).table(table, layout=layout)

    def batches(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, _batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        columns = with_columns
        if predicate is not None and columns is not None:
            needed = predicate.meta.root_names()
            columns = columns + [name for name in dict.fromkeys(needed) if name not in columns]
        where = None if predicate is None else _positions(source, predicate)
        # An empty list of columns: Polars counts rows, which some column has to have.
        read = columns if columns is None or columns else source.schema.names[:1]
        left = n_rows
        with source.reader(read, where=where) as reader:
            for batch in reader:
                frame = pl.DataFrame(pl.from_arrow(batch))
                if predicate is not None:
                    frame = frame.filter(predicate)
                if with_columns is not None:
                    frame = frame.select(with_columns)
                if left is not None:
                    frame = frame.head(left)
                    left -= frame.height
                yield frame
                if left == 0:
                    return

    schema = pl.DataFrame(pl.from_arrow(source.schema.empty_table())).schema
    return register_io_source(batches, schema=schema, is_pure=True)


def _positions(table: Table, predicate: pl.Expr) -> Any:
    """The positions that conditions on `row` and `col` leave, as `where`; None for all."""
    shape = table.metadata.get("shape")
    if shape is None or table.schema.names[:2] != list(_AXES):
        return None
    where = {}
    for axis, size in zip(_AXES, shape, strict=True):
        parts = [part for part in _conjunction(predicate) if set(part.meta.root_names()) == {axis} and _is_plain(part)]
        if not parts or size > _LONGEST_AXIS:
            continue
        where[axis] = _matching(axis, table, size, parts)
    return where or None


def _matching(axis: str, table: Table, size: int, parts: list[pl.Expr]) -> Any:
    """Try the conditions on all positions, which answers them whatever they are made of."""
    import polars as pl

    dtype = pl.DataFrame(pl.from_arrow(table.schema.empty_table())).schema[axis]
    all_ = pl.LazyFrame({axis: pl.int_range(size, dtype=pl.Int64, eager=True).cast(dtype)})
    found = all_.filter(*parts).collect()[axis]
    if len(found) == 0:
        return []
    first, last = found[0], found[-1]
    return slice(first, last + 1) if last - first + 1 == len(found) else found.to_list()


def _conjunction(predicate: pl.Expr) -> Iterator[pl.Expr]:
    """The conditions that all must hold."""
    root = _tree(predicate)
    if root is not None and root.get("BinaryExpr", {}).get("op") == "And":
        for part in predicate.meta.pop():
            yield from _conjunction(part)
    else:
        yield predicate


def _is_plain(predicate: pl.Expr) -> bool:
    """Whether a condition looks at one position at a time: comparisons, and, or, not, is_in, is_between."""

    def plain(node: Any) -> bool:
        if not isinstance(node, dict) or len(node) != 1:
            return False
        [(kind, value)] = node.items()
        if kind == "BinaryExpr":
            return plain(value["left"]) and plain(value["right"])
        if kind == "Function":
            return set(value["function"]) <= _FUNCTIONS and all(plain(one) for one in value["input"])
        if kind == "Cast":
            return plain(value["expr"])
        return kind in _KNOWN

    return plain(_tree(predicate))


def _tree(predicate: pl.Expr) -> Any:
    """The form of an expression; None where Polars does not tell it."""
    import warnings

    with warnings.catch_warnings():
        # Polars warns that the form may change; another form is another way to read all rows.
        warnings.simplefilter("ignore")
        try:
            return json.loads(predicate.meta.serialize(format="json"))
        except Exception:
            return None
