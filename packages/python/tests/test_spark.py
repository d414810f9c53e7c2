"""The data source of Spark, in a cluster of two executors that are processes of their own."""

import subprocess
from decimal import Decimal

import annarrow
import anndata as ad
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from annarrow._process import command
from conftest import dataset
from scipy import sparse


def load(spark, path, table, **options):
    return spark.read.format("annarrow").option("table", table).options(**options).load(str(path))


def sums(frame, axis, size):
    found = {row[axis]: row["sum(value)"] for row in frame.groupBy(axis).sum("value").collect()}
    return [float(found.get(place, 0)) for place in range(size)]


def test_matrix(spark, path, data):
    frame = load(spark, path, "X", partitionBytes=40_000)
    assert frame.schema.simpleString() == "struct<row:int,col:int,value:float>"
    assert frame.rdd.getNumPartitions() > 3
    assert frame.count() == data.X.nnz
    assert sums(frame, "col", 70) == np.asarray(data.X.sum(0)).ravel().tolist()
    assert sums(frame, "row", 900) == np.asarray(data.X.sum(1)).ravel().tolist()
    some = load(spark, path, "X", columns="value,col")
    assert some.columns == ["value", "col"]
    assert some.count() == data.X.nnz


CONDITIONS = [
    "col = 17",
    "row >= 100 and row < 300 and col > 60",
    "col in (3, 5, 700)",
    "row in (1, 2) and value > 3",
    "row < 0",
    "row = 5 or col = 5",
]


def entries_where(entries, condition):
    frame = pd.DataFrame({"row": entries.row, "col": entries.col, "value": entries.data})
    text = condition.replace(" = ", " == ").replace("(", "[").replace(")", "]")
    return sorted(frame.query(text).itertuples(index=False, name=None))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(spark, path, data, condition):
    for name in ["X", "layers/csc"]:
        found = load(spark, path, name, partitionBytes=80_000).where(condition)
        assert sorted(tuple(row) for row in found.collect()) == entries_where(data.X.tocoo(), condition)


@pytest.mark.parametrize("enabled", [True, False])
def test_pushed_conditions(spark, path, data, enabled):
    spark.conf.set("spark.sql.python.filterPushdown.enabled", enabled)
    try:
        found = load(spark, path, "X").where("col = 17")
        assert sorted(tuple(row) for row in found.collect()) == entries_where(data.X.tocoo(), "col = 17")
        # What is pushed is not applied again.
        assert ("Filter (" in found._jdf.queryExecution().executedPlan().toString()) == (not enabled)
    finally:
        spark.conf.set("spark.sql.python.filterPushdown.enabled", True)


def test_frame(spark, path, data):
    frame = load(spark, path, "obs", columns="_index,cell_type,age,note,weight,doublet,n_counts")
    found = frame.toPandas().set_index("_index")
    assert found.index.tolist() == data.obs_names.tolist()
    assert found["cell_type"].tolist() == data.obs["cell_type"].tolist()
    assert found["n_counts"].tolist() == data.obs["n_counts"].tolist()
    for name in ["age", "note"]:
        assert found[name].isna().tolist() == data.obs[name].isna().tolist()
        assert found[name].dropna().tolist() == data.obs[name].dropna().tolist()
    assert found["weight"].tolist() == data.obs["weight"].tolist()


SIZES = (8, 16, 32, 64)


def test_types(spark, tmp_path):
    big = np.array([0, 2**64 - 1], np.uint64)
    obs = pd.DataFrame(
        {
            **{f"u{bits}": np.array([0, 2**bits - 1], f"uint{bits}") for bits in SIZES},
            **{
                f"i{bits}": np.array([-(2 ** (bits - 1)), 2 ** (bits - 1) - 1], f"int{bits}")
                for bits in (8, 16, 32, 64)
            },
            "f2": np.array([0.5, 65504], np.float16),
            "kind": pd.Categorical(["a", None]),
            "number": pd.Categorical([7, 9]),
            "flag": [True, False],
        },
        index=["a", "b"],
    )
    made = ad.AnnData(obs=obs)
    made.obsm["small"] = np.array([[1, 2], [3, 255]], np.uint8)
    made.uns["took"] = np.array([3, 4], "timedelta64[s]").astype(np.int64)
    made.write_h5ad(tmp_path / "types.h5ad")
    frame = load(spark, tmp_path / "types.h5ad", "obs")
    types = {field.name: field.dataType.simpleString() for field in frame.schema}
    assert types == {
        **{"_index": "string", "u8": "smallint", "u16": "int", "u32": "bigint", "u64": "decimal(20,0)"},
        **{"i8": "tinyint", "i16": "smallint", "i32": "int", "i64": "bigint"},
        **{"f2": "float", "kind": "string", "number": "bigint", "flag": "boolean"},
    }
    found = {name: [row[name] for row in frame.collect()] for name in types}
    assert found["u64"] == [Decimal(0), Decimal(int(big[1]))]
    for name in ["u8", "u16", "u32", "i8", "i16", "i32", "i64", "f2", "number", "flag"]:
        assert found[name] == obs[name].tolist(), name
    assert found["kind"] == ["a", None]
    nested = load(spark, tmp_path / "types.h5ad", "obsm/small")
    assert nested.schema.simpleString() == "struct<value:array<smallint>>"
    assert [row["value"] for row in nested.collect()] == [[1, 2], [3, 255]]


def test_several_files(spark, tmp_path):
    made = {f"in{i}": dataset(i, 50 + i, 20) for i in range(4)}
    made["in2"].obs["extra"] = 1.5
    made["in3"].X = sparse.csr_matrix(made["in3"].X.astype(np.float64))
    for name, one in made.items():
        one.write_h5ad(tmp_path / f"{name}.h5ad")
    frame = load(spark, tmp_path / "*.h5ad", "X")
    assert frame.columns == ["filename", "row", "col", "value"]
    rows = frame.groupBy("filename").agg({"value": "sum", "*": "count"}).collect()
    found = {row["filename"]: (row["count(1)"], row["sum(value)"]) for row in rows}
    assert found == {str(tmp_path / f"{name}.h5ad"): (one.X.nnz, one.X.sum()) for name, one in made.items()}
    merged = load(spark, tmp_path / "*.h5ad", "obs", mergeSchema="true")
    extra = merged.toPandas()["extra"]
    assert extra.notna().sum() == 52
    assert len(extra) == 50 + 51 + 52 + 53
    assert dict(load(spark, tmp_path / "*.h5ad", "X", mergeSchema="true").dtypes)["value"] == "double"
    both = (
        spark.read.format("annarrow")
        .option("table", "obs")
        .load([str(tmp_path / "in0.h5ad"), str(tmp_path / "in1.h5ad")])
    )
    assert both.count() == 101


def test_plain_files(spark, path, tmp_path):
    values = np.array([3, -999, 5], dtype=np.int16)
    with h5py.File(tmp_path / "plain.h5", "w") as file:
        file["runs/id"] = np.arange(3)
        file["runs/depth"] = values
        file["packed"] = values
        file["packed"].attrs["_FillValue"] = np.int16(-999)
    rows = load(spark, tmp_path / "plain.h5", "runs", frame="runs").collect()
    assert [(row["id"], row["depth"]) for row in rows] == list(zip(range(3), values.tolist(), strict=True))
    stored = load(spark, tmp_path / "plain.h5", "packed")
    assert [row["value"] for row in stored.collect()] == values.tolist()
    decoded = load(spark, tmp_path / "plain.h5", "packed", cf="true")
    assert [row["value"] for row in decoded.collect()] == [3, None, 5]
    weights = load(spark, path, "obs/weight", openAs="hdf5")
    with h5py.File(path) as file:
        assert [row["value"] for row in weights.collect()] == file["obs/weight"][:].tolist()


def test_errors(spark, path, tmp_path):
    for options, problem in [
        ({"table": "Y"}, "did you mean X"),
        ({"table": "X", "colums": "row"}, "no option"),
        ({"table": "X", "columns": "vale"}, "vale"),
        ({}, "which table"),
    ]:
        with pytest.raises(Exception, match=problem):
            spark.read.format("annarrow").options(**options).load(str(path)).count()
    with pytest.raises(Exception, match="no file matches"):
        load(spark, tmp_path / "*.h5ad", "X").count()


def test_a_union(spark, tmp_path):
    made = {f"in{i}": dataset(i, 50 + i, 20 + i) for i in range(3)}
    for name, one in made.items():
        one.write_h5ad(tmp_path / f"{name}.h5ad")
    inputs = [str(tmp_path / f"{name}.h5ad") for name in made]
    subprocess.run(command("union", *inputs, str(tmp_path / "atlas"), "--elements", "X,obs,var"), check=True)
    expected = ad.concat(made, join="outer")
    assert sums(load(spark, tmp_path / "atlas", "X"), "row", 153) == np.asarray(expected.X.sum(1)).ravel().tolist()
    files = spark.read.parquet(*annarrow.union_files(tmp_path / "atlas", "X"))
    assert files.count() == expected.X.nnz


def save(frame, folder, table, mode="append"):
    frame.write.format("annarrow").option("table", table).mode(mode).save(str(folder))


def test_writing(spark, path, data, tmp_path):
    out = tmp_path / "out"
    save(load(spark, path, "X", partitionBytes=60_000), out, "X")
    save(load(spark, path, "obs", columns="_index,cell_type,n_counts"), out, "obs")
    save(load(spark, path, "var"), out, "var")
    opened = annarrow.open(out)
    assert opened.tables == ["X", "obs", "var"]
    found = opened.table("X").read().to_pandas()
    entries = data.X.tocoo()
    assert found["row"].tolist() == entries.row.tolist()
    assert found["value"].tolist() == entries.data.tolist()
    assert opened.table("obs").read()["_index"].to_pylist() == data.obs_names.tolist()
    subprocess.run(command("convert", str(out), str(tmp_path / "again.h5ad"), "--anndata", "0.13"), check=True)
    again = ad.read_h5ad(tmp_path / "again.h5ad")
    assert (sparse.csr_matrix(again.X) != data.X).nnz == 0
    assert again.obs["cell_type"].tolist() == data.obs["cell_type"].tolist()
    # One table is replaced, the others stay.
    save(load(spark, path, "X").where("row < 10"), out, "X", "overwrite")
    assert annarrow.open(out).table("X").num_rows == data.X[:10].nnz
    save(load(spark, path, "X").where("row >= 10"), out, "X")
    assert annarrow.open(out).table("X").num_rows == data.X.nnz
    assert annarrow.open(out).table("obs").num_rows == 900


def test_tasks_that_write_twice(tmp_path):
    from annarrow._spark_writer import TableWriter
    from pyspark.sql.types import IntegerType, StructType

    writer = TableWriter(str(tmp_path), "layers/counts", StructType().add("n", IntegerType()), False)
    batch = pa.record_batch({"n": pa.array([1, 2], pa.int32())})
    first, again, other = (writer.write(iter([batch])) for _ in range(3))
    # Nothing is seen before the commit, and of a task that ran twice one file counts.
    assert not (tmp_path / "manifest.json").exists()
    writer.abort([again, None])
    assert len(list(tmp_path.rglob("*.parquet"))) == 2
    writer.commit([first])
    assert annarrow.open(tmp_path).table("layers/counts").read()["n"].to_pylist() == [1, 2]
    writer.commit([other])
    assert annarrow.open(tmp_path).table("layers/counts").read()["n"].to_pylist() == [1, 2, 1, 2]
    with pytest.raises(annarrow.InvalidInputError, match="all executors see"):
        TableWriter("s3://bucket/out", "X", StructType(), False)


def test_own_column_filename(spark, tmp_path):
    for name in ["a", "b"]:
        obs = pd.DataFrame({"Filename": [f"{name}.fastq"] * 2}, index=[f"{name}0", f"{name}1"])
        ad.AnnData(obs=obs).write_h5ad(tmp_path / f"{name}.h5ad")
    frame = load(spark, tmp_path / "*.h5ad", "obs")
    assert frame.columns == ["filename", "_index", "Filename_1"]
    found = {(row["filename"], row["Filename_1"]) for row in frame.collect()}
    assert found == {(str(tmp_path / f"{name}.h5ad"), f"{name}.fastq") for name in ["a", "b"]}
    assert load(spark, tmp_path / "a.h5ad", "obs").columns == ["_index", "Filename"]
