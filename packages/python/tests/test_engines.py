"""Polars, DuckDB, and pyarrow's datasets read through the reader; the files of a union."""

import random
import subprocess

import annarrow
import anndata as ad
import duckdb
import numpy as np
import polars as pl
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from annarrow._process import command
from conftest import dataset


def test_duckdb(path, data):
    reader = annarrow.open(path).table("X").reader()  # noqa: F841
    found = duckdb.sql("select col, sum(value) as total from reader group by col order by col").fetchnumpy()
    assert np.array_equal(found["total"], np.asarray(data.X.sum(0)).ravel())
    obs = annarrow.open(path).table("obs").reader(["cell_type", "n_counts"])  # noqa: F841
    counts = dict(duckdb.sql("select cell_type, count(*) from obs group by 1").fetchall())
    assert counts == data.obs["cell_type"].value_counts().to_dict()


def test_errors_come_through_duckdb(path):
    reader = annarrow.open(path).table("X").reader()
    reader.close()
    with pytest.raises(Exception, match="the reader is closed"):
        duckdb.sql("select sum(value) from reader").fetchall()


def test_scan(path, data):
    obs = annarrow.scan(path, "obs").collect()
    assert obs["n_counts"].to_list() == data.obs["n_counts"].tolist()
    assert obs["cell_type"].cast(pl.String).to_list() == data.obs["cell_type"].tolist()
    assert obs["age"].to_list() == [
        None if age is None else age for age in data.obs["age"].astype(object).where(data.obs["age"].notna(), None)
    ]
    lazy = annarrow.scan(path, "obs")
    assert lazy.filter(pl.col("cell_type") == "B cell").select("weight").collect()["weight"].to_list() == (
        data.obs["weight"][data.obs["cell_type"] == "B cell"].tolist()
    )
    assert lazy.select(pl.len()).collect().item() == 900
    assert annarrow.scan(path, "X").head(5).collect().height == 5
    assert annarrow.scan(path, "obsm/X_pca").collect()["value"].to_numpy().tolist() == data.obsm["X_pca"].tolist()


def conditions(rng: random.Random):
    """Draw a condition, and the same for a frame of pandas."""
    axis, size = rng.choice([("row", 900), ("col", 70)])
    a, b = sorted(rng.sample(range(-5, size + 5), 2))
    some = [rng.randrange(size) for _ in range(rng.randrange(6))]
    forms = [
        (pl.col(axis) == a, f"{axis} == {a}"),
        (pl.col(axis).is_between(a, b), f"{a} <= {axis} <= {b}"),
        (pl.col(axis).is_in(some), f"{axis} in {some}"),
        (~(pl.col(axis) > a), f"not {axis} > {a}"),
        ((pl.col(axis) < a) | (pl.col(axis) >= b), f"{axis} < {a} or {axis} >= {b}"),
        (pl.col(axis) % 3 == 1, f"{axis} % 3 == 1"),
        (pl.col("value") > 4, "value > 4"),
        ((pl.col("value") == 3) | (pl.col(axis) < b), f"value == 3 or {axis} < {b}"),
        (pl.col("row") > pl.col("col") * 2, "row > col * 2"),
    ]
    return rng.choice(forms)


@pytest.mark.parametrize("name", ["X", "layers/csc"])
def test_random_conditions(path, data, name):
    rng = random.Random(1)
    entries = (data.X if name == "X" else data.layers["csc"]).tocoo()
    import pandas as pd

    frame = pd.DataFrame({"row": entries.row, "col": entries.col, "value": entries.data})
    lazy = annarrow.scan(path, name)
    for _ in range(40):
        drawn = [conditions(rng) for _ in range(rng.randint(1, 3))]
        columns = rng.sample(["row", "col", "value"], rng.randint(1, 3))
        found = lazy.filter(*(one for one, _ in drawn)).select(columns).collect()
        expected = frame.query(" and ".join(f"({text})" for _, text in drawn))[columns]
        assert found.rows() == list(expected.itertuples(index=False, name=None)), drawn


def test_conditions_choose_what_is_read(path, monkeypatch):
    """Positions go to Node as ranges or lists, and conditions that could look at other rows do not."""
    asked = []
    reader = annarrow.Table.reader
    monkeypatch.setattr(
        annarrow.Table, "reader", lambda self, *a, where=None: asked.append(where) or reader(self, *a, where=where)
    )
    lazy = annarrow.scan(path, "X")
    lazy.filter(pl.col("row") < 10, pl.col("col").is_in([3, 9]), pl.col("value") > 1).collect()
    lazy.filter((pl.col("row") < 10) | (pl.col("value") > 1)).collect()
    lazy.filter(pl.col("row") == pl.col("row").max()).collect()
    assert asked == [{"row": slice(0, 10), "col": [3, 9]}, None, None]


@pytest.fixture(scope="module")
def union(tmp_path_factory):
    folder = tmp_path_factory.mktemp("union")
    made = {f"in{i}": dataset(i, 300 + i, 40 + i) for i in range(3)}
    for name, one in made.items():
        one.write_h5ad(folder / f"{name}.h5ad")
    inputs = [str(folder / f"{name}.h5ad") for name in made]
    subprocess.run(command("union", *inputs, str(folder / "atlas"), "--elements", "X,obs,var"), check=True)
    return folder / "atlas", ad.concat(made, join="outer", index_unique=None)


def test_union(union):
    atlas, expected = union
    opened = annarrow.open(atlas)
    assert opened.shape == expected.shape
    assert opened.table("obs").read()["_index"].to_pylist() == expected.obs_names.tolist()
    found = annarrow.scan(atlas, "X").group_by("row").agg(pl.col("value").sum()).sort("row").collect()
    sums = np.asarray(expected.X.sum(1)).ravel()
    assert found["value"].to_list() == sums[sums > 0].tolist()
    some = opened.table("X").read(where={"row": "cell_type = 'B cell'"})
    assert some.num_rows == expected[expected.obs["cell_type"] == "B cell"].X.nnz


def test_union_files(union):
    atlas, expected = union
    files = annarrow.union_files(atlas, "X")
    assert len(files) == 3
    total = expected.X.sum()
    assert ds.dataset(files).count_rows() == expected.X.nnz
    assert sum(pq.read_table(file)["value"].to_numpy().sum() for file in files) == total
    assert pl.scan_parquet(files).select(pl.col("value").sum()).collect().item() == total
    assert duckdb.read_parquet(files).sum("value").fetchall() == [(total,)]
    with pytest.raises(annarrow.NotFoundError, match="there are"):
        annarrow.union_files(atlas, "Y")
    with pytest.raises(annarrow.NotFoundError, match=r"manifest\.json"):
        annarrow.union_files(atlas / "X", "X")


def test_command(path):
    done = subprocess.run(
        ["annarrow", "query", str(path), "select count(*) as n from obs", "--format", "csv"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["n", "900"], done.stderr
