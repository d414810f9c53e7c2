"""pyarrow, Polars and DuckDB read what `annarrow convert` and `annarrow query` write; anndata says what is right."""

import io
import json
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
