"""Tables of Iceberg beside the files of a union."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import annarrow
import pyarrow as pa
import pyarrow.dataset
import pytest
from conftest import dataset

pytest.importorskip("pyiceberg")

from annarrow import iceberg
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import SqlCatalog


def command(*arguments: object) -> None:
    subprocess.run(["annarrow", *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    (tmp_path / "warehouse").mkdir()
    return SqlCatalog("lake", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/warehouse")


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def made(name: str, seed: int, **changes: Any) -> Path:
        data = dataset(seed, 40, 12)
        for column, values in changes.items():
            data.obs[column] = values
        del data.layers["counts"]
        data.write_h5ad(tmp_path / f"{name}.h5ad")
        return tmp_path / f"{name}.h5ad"

    return made


def rows(table: pa.Table) -> list[str]:
    return sorted(json.dumps(row, default=str, sort_keys=True) for row in table.to_pylist())


def check(atlas: Path, tables: dict[str, Any]) -> None:
    assert list(tables) == ["obs", "var", "X", "layers/csc", "uns/presence"]
    for name, table in tables.items():
        files = annarrow.union_files(atlas, name)
        schema = pyarrow.dataset.dataset(files[-1]).schema
        expected = pyarrow.dataset.dataset(files, schema=schema).to_table()
        assert rows(table.scan().to_arrow()) == rows(expected)


def test_tables_follow_the_commits_of_a_union(tmp_path: Path, catalog: Catalog, file: Callable[..., Path]) -> None:
    atlas = tmp_path / "an atlas"
    command("union", file("a", 1), file("b", 2), atlas, "--elements", "X,obs,var,layers/csc,obsm/X_pca")
    before = iceberg.sync(atlas, catalog, "lake.atlas")
    check(atlas, before)
    assert {table.name()[-1] for table in before.values()} == {"obs", "var", "x", "layers_csc", "presence"}
    old = before["X"].current_snapshot()
    assert old is not None
    old_rows = rows(before["X"].scan().to_arrow())
    # A dataset with a column more, beside the removal of another.
    command("union", "add", file("c", 3, batch=7), atlas, "--elements", "X,obs,var,layers/csc")
    command("union", "remove", atlas, "a")
    after = iceberg.sync(atlas, catalog, "lake.atlas")
    check(atlas, after)
    assert after["obs"].scan("batch = 7").to_arrow().num_rows == 40
    new = after["X"].current_snapshot()
    assert new is not None and new.summary is not None and new.summary["annarrow.commit"] == "3"
    # The files of removed datasets are there until `union clean`, so that old snapshots can be read.
    assert rows(after["X"].scan(snapshot_id=old.snapshot_id).to_arrow()) == old_rows
    again = iceberg.sync(atlas, catalog, "lake.atlas")
    assert again["X"].metadata_location == after["X"].metadata_location
    # No file of values was copied.
    assert not list((tmp_path / "warehouse").rglob("*.parquet"))


def test_a_condition_reads_the_files_of_its_rows(tmp_path: Path, catalog: Catalog, file: Callable[..., Path]) -> None:
    atlas = tmp_path / "atlas"
    command("union", file("a", 1), file("b", 2), atlas)
    scan = iceberg.sync(atlas, catalog, "atlas")["X"].scan("row >= 40 and col = 3")
    [task] = list(scan.plan_files())
    assert "/X/b/" in task.file.file_path
    assert (
        scan.to_arrow().num_rows
        == annarrow.open(atlas).table("X").read(where={"row": slice(40, 80), "col": [3]}).num_rows
    )


def test_types_that_iceberg_lacks_are_named(tmp_path: Path, catalog: Catalog, file: Callable[..., Path]) -> None:
    atlas = tmp_path / "atlas"
    command("union", file("a", 1, small=pa.array(range(40), pa.uint16()).to_numpy()), atlas)
    with pytest.raises(annarrow.UnsupportedError, match=r"obs: Iceberg has no type for small \(uint16\)"):
        iceberg.sync(atlas, catalog, "atlas")
    assert catalog.list_namespaces() == []


def test_folders_without_a_union(tmp_path: Path, path: Path, catalog: Catalog) -> None:
    with pytest.raises(annarrow.NotFoundError, match="manifest"):
        iceberg.sync(tmp_path, catalog, "atlas")
    command("convert", path, tmp_path / "tables", "--to", "parquet")
    with pytest.raises(annarrow.InvalidInputError, match="no union"):
        iceberg.sync(tmp_path / "tables", catalog, "atlas")


@pytest.mark.skipif("ICEBERG_JAR" not in os.environ, reason="the runtime of Iceberg for Spark is not named")
def test_spark_reads_what_the_union_has(tmp_path: Path, catalog: Catalog, file: Callable[..., Path]) -> None:
    from pyspark.sql import SparkSession

    atlas = tmp_path / "an atlas"
    command("union", file("a", 1), file("b c", 2), atlas)
    iceberg.sync(atlas, catalog, "atlas")
    command("union", "add", file("c", 3, batch=7), atlas)
    command("union", "remove", atlas, "a")
    tables = iceberg.sync(atlas, catalog, "atlas")
    builder = SparkSession.builder.master("local[1]").config("spark.jars", os.environ["ICEBERG_JAR"])
    builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1")
    with builder.getOrCreate() as spark:
        for table in tables.values():
            found = spark.read.format("iceberg").load(table.metadata_location)
            assert rows(found.toArrow()) == rows(table.scan().to_arrow())
        entries = spark.read.format("iceberg").load(tables["X"].metadata_location).where("col = 3")
        assert entries.count() == annarrow.open(atlas).table("X").read(where={"col": [3]}).num_rows
        for view in subprocess.check_output(["annarrow", "union", "sql", atlas, "--engine", "spark"], text=True).split(
            ";\n"
        ):
            if view.strip():
                spark.sql(view)
        assert (
            spark.sql("select count(*) from X join obs using (row)").first()[0]
            == tables["X"].scan().to_arrow().num_rows
        )
