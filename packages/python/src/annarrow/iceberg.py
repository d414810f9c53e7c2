"""The tables of a union as tables of Apache Iceberg, through pyiceberg and any of its catalogs."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from annarrow._union import file_system, union_manifest
from annarrow.errors import InvalidInputError, UnsupportedError
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.table import Table

_COMMIT = "annarrow.commit"

_PROPERTIES = {
    "format-version": "2",
    # The files belong to the union: an engine that expires snapshots or drops a table must not delete them.
    "gc.enabled": "false",
}

_REQUIRED = {"row", "col", "value", "dataset_id", "_index"}
"""Columns that all files have, in which no value is missing."""


def sync(folder: str | os.PathLike[str], catalog: Catalog, namespace: str) -> dict[str, Table]:
    """Let tables of a catalog have the rows of the last commit of a union.

    Tables that are not there are made: `x`, `obs`, `var`, `presence`, and `layers_counts` for `layers/counts`. Their
    data files are the files of the union, of which none is copied. Of each table, one commit to the catalog adds the
    files that are new, and removes those that the union does not list any more: readers see the old rows or the new
    ones. A second call changes nothing. Arrays of `obsm` are left out.

    Parameters
    ----------
    folder
        The folder of `annarrow union`, or its address. Readers find its files where they lie now.
    catalog
        Of `pyiceberg.catalog.load_catalog`: REST, SQL, Glue, Hive.
    namespace
        Made where it is not there.

    Returns
    -------
    The tables by the names that they have in the union.

    Raises
    ------
    UnsupportedError
        For a column of a type that Iceberg lacks: the error names all.
    InvalidInputError
        For tables whose names are equal in the catalog.

    Examples
    --------
    >>> catalog = pyiceberg.catalog.load_catalog("lake")  # doctest: +SKIP
    >>> annarrow.iceberg.sync("atlas/", catalog, "atlas")["X"].scan("col = 17").to_arrow()  # doctest: +SKIP
    """
    base, manifest = _address(folder), union_manifest(folder)
    if "union" not in manifest:
        raise InvalidInputError("no union: tables of Iceberg are made of `annarrow union`", base)
    listed: dict[str, list[str]] = {
        one["name"]: [part["file"] for part in one["parts"]] for one in manifest["tables"] if one["kind"] != "array"
    }
    names = {name: f"{namespace}.{_table_name(name)}" for name in listed}
    if len(set(names.values())) < len(names):
        raise InvalidInputError(f"some of these tables would have one name in the catalog: {', '.join(listed)}", base)
    # The last file of a table has all columns.
    schemas = {name: _schema(_read_schema(folder, files[-1]), name) for name, files in listed.items() if files}
    catalog.create_namespace_if_not_exists(namespace)
    commit = str(manifest["union"]["commit"])
    synced: dict[str, Table] = {}
    for name, files in listed.items():
        table = _table(catalog, names[name], schemas.get(name))
        if table is not None:
            paths = [f"{base}/{file}" for file in files]
            synced[name] = _sync_table(table, schemas.get(name), paths, commit)
    return synced


def _sync_table(table: Table, schema: pa.Schema | None, files: list[str], commit: str) -> Table:
    present = {task.file.file_path: task.file for task in table.scan().plan_files()}
    wanted = set(files)
    added = [file for file in files if file not in present]
    removed = [file for path, file in present.items() if path not in wanted]
    if not added and not removed:
        return table
    known = {field.name for field in table.schema().fields}
    with _quiet(), table.transaction() as transaction:
        if schema is not None and not known.issuperset(schema.names):
            with transaction.update_schema() as update:
                update.union_by_name(schema)
        if removed:
            with transaction.update_snapshot({_COMMIT: commit}).overwrite() as snapshot:
                for file in removed:
                    snapshot.delete_data_file(file)
        if added:
            transaction.add_files(added, {_COMMIT: commit}, check_duplicate_files=False)
    return table.refresh()


def _table(catalog: Catalog, name: str, schema: pa.Schema | None) -> Table | None:
    """The table, which is made where it has rows, and is not there."""
    try:
        return catalog.load_table(name)
    except NoSuchTableError:
        return None if schema is None else catalog.create_table(name, schema, properties=_PROPERTIES)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pyiceberg from a warning for each file and column with categories, whose text it reads as it should."""
    logger = logging.getLogger("pyiceberg.io.pyarrow")

    def is_wanted(record: logging.LogRecord) -> bool:
        return "dictionary type" not in record.getMessage()

    logger.addFilter(is_wanted)
    try:
        yield
    finally:
        logger.removeFilter(is_wanted)


def _table_name(name: str) -> str:
    return re.sub(r"\W", "_", name.removeprefix("uns/").lower())


def _address(folder: str | os.PathLike[str]) -> str:
    base = os.fspath(folder).rstrip("/")
    # Locations of Iceberg are no URIs: nothing in them is escaped.
    return base if "://" in base else f"file://{Path(base).resolve()}"


def _read_schema(folder: str | os.PathLike[str], file: str) -> pa.Schema:
    base = os.fspath(folder).rstrip("/")
    system, path = file_system(f"{base}/{file}")
    return pq.read_schema(path, filesystem=system)


def _schema(schema: pa.Schema, table: str) -> pa.Schema:
    """The schema of a table of Iceberg: the types of the files, without dictionaries."""
    fields = [pa.field(field.name, _plain(field.type), nullable=field.name not in _REQUIRED) for field in schema]
    wrong = [f"{field.name} ({field.type})" for field in fields if not _is_known(field.type)]
    if wrong:
        raise UnsupportedError(f"Iceberg has no type for {', '.join(wrong)}: cast it in the inputs", None, table)
    return pa.schema(fields)


def _plain(type_: pa.DataType) -> pa.DataType:
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _is_known(type_: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_boolean(type_)
        or types.is_signed_integer(type_)
        or types.is_float32(type_)
        or types.is_float64(type_)
        or types.is_string(type_)
        or types.is_binary(type_)
        or types.is_fixed_size_binary(type_)
        or (types.is_timestamp(type_) and type_.unit == "us")
    )
