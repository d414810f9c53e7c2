"""pyarrow, Polars and DuckDB read what `annarrow convert` and `annarrow query` write; anndata says what is right."""

import io
import json
import math
import struct
import subprocess
from pathlib import Path

import anndata as ad
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
EXAMPLES = {name: ROOT / "examples" / name for name in ("pbmc.h5ad", "pbmc.zarr.zip")}
EXPECTED = json.loads((ROOT / "examples/pbmc.expected.json").read_text())
FORMATS = ("arrow", "parquet")


def annarrow(*arguments) -> bytes:
    run = subprocess.run([*CLI, *map(str, arguments)], capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout


class Tables:
    """A directory of tables."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text())
        self.entries = {entry["name"]: entry for entry in self.manifest["tables"]}

    def path(self, name: str) -> Path:
        return self.folder / self.entries[name]["file"]

    def read(self, name: str) -> pa.Table:
        path = self.path(name)
        return pq.read_table(path) if path.suffix == ".parquet" else ipc.open_file(path).read_all()


@pytest.fixture(scope="module", params=[(name, to) for name in EXAMPLES for to in FORMATS], ids="-".join)
def converted(request, tmp_path_factory) -> Tables:
    name, to = request.param
    folder = tmp_path_factory.mktemp("tables") / "out"
    annarrow("convert", EXAMPLES[name], f"{folder}/", "--to", to, "--positions")
    return Tables(folder)


@pytest.fixture(scope="module")
def original() -> ad.AnnData:
    return ad.read_h5ad(EXAMPLES["pbmc.h5ad"])


def test_pyarrow_reads_every_table(converted):
    assert converted.manifest["shape"] == EXPECTED["shape"]
    for name, entry in converted.entries.items():
        table = converted.read(name)
        table.validate(full=True)
        assert table.num_rows == entry["rows"], name
        assert json.loads(table.schema.metadata[b"annarrow"])["kind"] == entry["kind"], name


@pytest.mark.parametrize("name", ["X", "layers/counts"])
def test_coordinate_table_is_the_matrix(converted, original, name):
    table = converted.read(name)
    row, col, value = (table[column].to_numpy() for column in ("row", "col", "value"))
    found = sp.coo_matrix((value, (row, col)), original.shape).tocsr()
    right = original.X if name == "X" else original.layers["counts"]
    assert found.dtype == right.dtype and (found != right).nnz == 0


@pytest.mark.parametrize("name", ["obs", "var"])
def test_to_pandas_gives_the_dataframe_back(converted, original, name):
    found = converted.read(name).to_pandas().drop(columns={"obs": "row", "var": "col"}[name])
    right = getattr(original, name)
    assert list(found.index) == list(right.index) and found.index.name == right.index.name
    assert list(found.columns) == list(right.columns)
    for column in right:
        a, b = found[column], right[column]
        if isinstance(b.dtype, pd.CategoricalDtype) and not converted.path(name).suffix == ".parquet":
            assert list(a.cat.categories) == list(b.cat.categories) and a.cat.ordered == b.cat.ordered
        assert [None if pd.isna(v) else v for v in a] == [None if pd.isna(v) else v for v in b], column


def test_categories_stand_beside_parquet(converted, original):
    beside = converted.entries["obs"].get("categories", {})
    categorical = ["cell_type", "quality", "donor"]
    assert sorted(beside) == ([] if converted.path("obs").suffix == ".arrow" else sorted(categorical))
    for column, file in beside.items():
        values = pq.read_table(converted.folder / file)["value"].to_pylist()
        assert values == list(original.obs[column].cat.categories)


def test_embedding_is_a_fixed_size_list(converted, original):
    column = converted.read("obsm/X_umap")["value"].combine_chunks()
    assert column.type.list_size == 2
    found = column.flatten().to_numpy().reshape(-1, 2)
    assert np.array_equal(found, original.obsm["X_umap"])


def test_polars_reads_obs(converted, original):
    path = converted.path("obs")
    frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ipc(path)
    assert frame["cell_type"].cast(pl.String).to_list() == list(original.obs["cell_type"].astype(str))
    assert frame["age"].null_count() == EXPECTED["missing"]["age"] and frame["age"].sum() == EXPECTED["ageSum"]
    assert frame["is_doublet"].sum() == EXPECTED["doublets"]
    notes = frame["note"].drop_nulls().value_counts().rows()
    assert dict(notes) == EXPECTED["notes"]


def test_polars_reads_the_matrix(converted):
    path = converted.path("X")
    frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ipc(path)
    assert frame.height == EXPECTED["nonzeros"]["X"]
    assert frame["value"].cast(pl.Float64).sum() == pytest.approx(EXPECTED["sum"]["X"], rel=1e-9)


def test_duckdb_joins_by_position(converted):
    connection = duckdb.connect()
    for name in ("obs", "var", "X"):
        connection.register(name, converted.read(name))
        if converted.path(name).suffix == ".parquet":
            connection.unregister(name)
            connection.execute(f"create view {name} as from read_parquet('{converted.path(name)}')")
    rows = connection.execute(
        """select symbol, cell_type::varchar, avg(value::double) from X join obs using (row) join var using (col)
           where symbol in ('CD3E', 'MS4A1', 'NKG7', 'LYZ', 'PPBP') group by all"""
    ).fetchall()
    found: dict = {}
    for symbol, cell_type, mean in rows:
        found.setdefault(symbol, {})[cell_type] = mean
    assert found.keys() == EXPECTED["meanOfStoredValues"].keys()
    for symbol, means in EXPECTED["meanOfStoredValues"].items():
        assert found[symbol] == pytest.approx(means, rel=1e-9)


@pytest.mark.parametrize("to", FORMATS)
def test_query_answers_on_stdout(to):
    sql = "select cell_type, count(*)::int as cells from obs group by 1 order by 2 desc"
    answer = annarrow("query", EXAMPLES["pbmc.h5ad"], sql, "--format", to)
    source = io.BytesIO(answer)
    table = pq.read_table(source) if to == "parquet" else read_any_ipc(answer)
    found = {row["cell_type"]: row["cells"] for row in table.to_pylist()}
    assert found == EXPECTED["cellsPerType"]


def read_any_ipc(data: bytes) -> pa.Table:
    opened = ipc.open_file(pa.BufferReader(data)) if data.startswith(b"ARROW1") else ipc.open_stream(data)
    return opened.read_all()


@pytest.fixture(scope="module")
def odd(tmp_path_factory) -> dict:
    """Tables that our own Parquet encoder wrote, by name, each with the same table from an Arrow file."""
    folder = tmp_path_factory.mktemp("odd")
    script = ROOT / "test/interop/make_odd_tables.mjs"
    subprocess.run(["node", str(script), str(folder)], check=True, timeout=300)
    found = {path: ipc.open_file(path.with_suffix(".arrow")).read_all() for path in sorted(folder.glob("*.parquet"))}
    assert len(found) > 40
    return found


def bits(values) -> list:
    """Values that are equal only where their bits are."""

    def one(value):
        if not isinstance(value, float):
            return value
        return "nan" if math.isnan(value) else struct.pack("<d", value)

    return [one(value) for value in values]


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Without dictionaries, which not every reader keeps, and times as integers."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column


def test_pyarrow_reads_odd_tables(odd):
    for path, right in odd.items():
        table = pq.read_table(path)
        table.validate(full=True)
        assert table.schema.metadata[b"made"] == b"by hand"
        for field in right.schema:
            where = f"{path.name}: {field.name}"
            a, b = table[field.name], right[field.name]
            # pyarrow takes dictionaries of text alone from Parquet.
            of_text = not pa.types.is_dictionary(field.type) or pa.types.is_string(field.type.value_type)
            assert a.type == (field.type if of_text else field.type.value_type), where
            assert table.schema.field(field.name).nullable == field.nullable, where
            assert table.schema.field(field.name).metadata == {b"of": field.name.encode()}, where
            assert bits(plain(a).to_pylist()) == bits(plain(b).to_pylist()), where


def test_pyarrow_finds_every_category_in_order(odd):
    compared = 0
    for path, right in odd.items():
        if right.num_rows == 0:
            continue
        table = pq.read_table(path)
        for field in right.schema:
            # A category that is null has no place in the dictionary.
            if not pa.types.is_dictionary(table.schema.field(field.name).type) or field.name == "missing_category":
                continue
            for chunk in table[field.name].chunks:
                assert chunk.dictionary.to_pylist() == right[field.name].chunk(0).dictionary.to_pylist(), path.name
                assert chunk.type.ordered == field.type.ordered
                compared += 1
    assert compared > 80


def test_statistics_are_those_of_the_values(odd):
    compared = 0
    for path, right in odd.items():
        metadata = pq.ParquetFile(path).metadata
        start = 0
        for g in range(metadata.num_row_groups):
            group = metadata.row_group(g)
            rows = right.slice(start, group.num_rows)
            start += group.num_rows
            for i, name in enumerate(right.column_names):
                statistics = group.column(i).statistics
                values = rows[name].cast(rows[name].type.value_type) if pa.types.is_dictionary(rows[name].type) else rows[name]
                assert statistics.null_count == values.null_count, f"{path.name}: {name}"
                present = [value for value in values.to_pylist() if value is not None and value == value]
                if not statistics.has_min_max:
                    continue
                assert (statistics.min, statistics.max) == (min(present), max(present)), f"{path.name}: {name}"
                compared += 1
        assert start == right.num_rows
    assert compared > 500


def test_polars_reads_odd_tables(odd):
    for path, right in odd.items():
        frame = pl.read_parquet(path)
        for name in right.column_names:
            found = frame[name]
            if pa.types.is_timestamp(right[name].type):
                found = found.cast(pl.Int64)
            elif pa.types.is_dictionary(right[name].type) and pa.types.is_string(right[name].type.value_type):
                found = found.cast(pl.String)
            assert bits(found.to_list()) == bits(plain(right[name]).to_pylist()), f"{path.name}: {name}"


def test_duckdb_reads_odd_tables(odd):
    connection = duckdb.connect()
    for path, right in odd.items():
        table = connection.sql(f"from read_parquet('{path}')").to_arrow_table()
        for name in right.column_names:
            found = table[name]
            if pa.types.is_timestamp(right[name].type):
                found = found.cast(right[name].type)
            assert bits(plain(found).to_pylist()) == bits(plain(right[name]).to_pylist()), f"{path.name}: {name}"


MADE = [ROOT / "test/fixtures/data/anndata" / name for name in ("modern.h5ad", "modern.v3.zarr.zip", "odd.h5ad")]
STORED = [EXAMPLES["pbmc.h5ad"], *MADE]


@pytest.fixture(scope="module", params=STORED, ids=lambda path: path.name)
def stored(request, tmp_path_factory) -> Tables:
    """Arrow files of tables as they are stored, which our own encoder writes."""
    folder = tmp_path_factory.mktemp("stored") / "out"
    annarrow("convert", request.param, f"{folder}/", "--to", "arrow")
    return Tables(folder)


def test_pyarrow_reads_stored_tables(stored):
    for name, entry in stored.entries.items():
        table = stored.read(name)
        table.validate(full=True)
        assert table.num_rows == entry["rows"], name
        assert json.loads(table.schema.metadata[b"annarrow"])["kind"] == entry["kind"], name


def test_polars_reads_stored_tables(stored):
    for name in stored.entries:
        table = stored.read(name)
        # Polars has no unions, and reads no lists of size 0.
        if any(lacks_in_polars(field.type) for field in table.schema):
            continue
        frame = pl.read_ipc(stored.path(name))
        assert frame.equals(pl.from_arrow(table)), name


def lacks_in_polars(one: pa.DataType) -> bool:
    if pa.types.is_union(one) or (pa.types.is_fixed_size_list(one) and one.list_size == 0):
        return True
    return any(lacks_in_polars(one.field(i).type) for i in range(one.num_fields))


@pytest.mark.parametrize("suffix", ["arrow", "arrows"])
def test_one_stored_table_as_file_and_stream(original, tmp_path, suffix):
    out = tmp_path / f"obs.{suffix}"
    annarrow("convert", EXAMPLES["pbmc.h5ad"], out, "--table", "obs")
    table = read_any_ipc(out.read_bytes())
    table.validate(full=True)
    found = table.to_pandas()
    assert list(found.index) == list(original.obs.index) and list(found.columns) == list(original.obs.columns)
    for column, right in original.obs.items():
        if isinstance(right.dtype, pd.CategoricalDtype):
            assert list(found[column].cat.categories) == list(right.cat.categories), column
            assert found[column].cat.ordered == right.cat.ordered, column
        assert [None if pd.isna(v) else v for v in found[column]] == [None if pd.isna(v) else v for v in right], column
    connection = duckdb.connect()
    connection.register("obs", table)
    answer = connection.execute("select cell_type::varchar, count(*) from obs group by 1").fetchall()
    assert dict(answer) == EXPECTED["cellsPerType"]


def test_stored_matrix_as_stream(original):
    table = read_any_ipc(annarrow("convert", EXAMPLES["pbmc.h5ad"], "-", "--table", "X"))
    table.validate(full=True)
    row, col, value = (table[column].to_numpy() for column in ("row", "col", "value"))
    found = sp.coo_matrix((value, (row, col)), original.shape).tocsr()
    assert found.dtype == original.X.dtype and (found != original.X).nnz == 0
