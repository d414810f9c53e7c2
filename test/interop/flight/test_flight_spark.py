"""A cluster of Spark reads one matrix from `annarrow serve`, each of its tasks one endpoint; from an environment of its
own (requirements-spark.txt). What comes is compared with what anndata wrote."""

import importlib.util
import json
import os
import shutil
import sys

import anndata
import numpy as np
import pyarrow.flight as flight
import pytest
from scipy import sparse

from test_flight_server import Server

ROWS, COLS = 20_000, 3000

# Other environments have no Spark; where it is expected, its absence is a failure.
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None and os.environ.get("SPARK") != "required", reason="pyspark is not installed"
)


@pytest.fixture(scope="module")
def matrix():
    """Of 15 million entries, in every row every fourth gene from the first, second, third or fourth on; values count up
    to seven, so that their sum is exact in any order."""
    rng = np.random.default_rng(0)
    places = rng.integers(0, 4, (ROWS, 1), np.int32) + np.arange(0, COLS, 4, dtype=np.int32)
    values = rng.integers(1, 8, places.size).astype(np.float32)
    return sparse.csr_matrix((values, places.ravel(), np.arange(0, places.size + 1, COLS // 4)), (ROWS, COLS))


@pytest.fixture(scope="module")
def server(matrix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    anndata.AnnData(matrix).write_h5ad(folder / "large.h5ad")
    server = Server(folder, "--read-only")
    yield server
    server.process.kill()


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.fail("Java is not installed (17 or later): no cluster of Spark can be started")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    scratch = tmp_path_factory.mktemp("spark")
    session = (
        # Two workers of one core each, which are processes of their own.
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", False)
        .config("spark.local.dir", str(scratch))
        .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
        .config("spark.executor.memory", "512m")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_matrix(spark, server, matrix):
    with flight.connect(server.location) as client:
        info = client.get_flight_info(flight.FlightDescriptor.for_path("large.h5ad", "X"))
    tickets = [endpoint.ticket.serialize() for endpoint in info.endpoints]
    about = [json.loads(endpoint.app_metadata) for endpoint in info.endpoints]
    assert len(tickets) > 2
    location = server.location

    def take(tickets):
        """What one endpoint comes to, in the process of an executor."""
        import os

        import pyarrow.compute as pc
        import pyarrow.flight as flight

        for ticket in tickets:
            rows, sums = 0, [0, 0, 0.0]
            with flight.connect(location) as client:
                for chunk in client.do_get(flight.Ticket.deserialize(ticket)):
                    rows += chunk.data.num_rows
                    sums = [total + pc.sum(column).as_py() for total, column in zip(sums, chunk.data.columns, strict=True)]
            # The parent is the daemon of an executor, of which each has one.
            yield rows, *sums, os.getppid()

    parts = spark.sparkContext.parallelize(tickets, len(tickets)).mapPartitions(take).collect()
    assert [part[0] for part in parts] == [one["nnz"] for one in about]
    entries = matrix.tocoo()
    assert sum(part[0] for part in parts) == info.total_records == matrix.nnz
    assert sum(part[1] for part in parts) == entries.row.sum(dtype=np.int64)
    assert sum(part[2] for part in parts) == entries.col.sum(dtype=np.int64)
    assert sum(part[3] for part in parts) == matrix.data.sum(dtype=np.float64)
    # More than one executor has read.
    assert len({part[4] for part in parts}) == 2


def test_table_as_a_dataframe(spark, server, matrix):
    """Ranges of entries as rows of Spark: sums of genes, by its SQL."""
    location, step, parts = server.location, 500_000, 4

    def read(batches):
        for batch in batches:
            for start in batch["start"].to_pylist():
                command = {"dataset": "large.h5ad", "table": "X", "columns": ["col", "value"], "rows": [start, start + step]}
                with flight.connect(location) as client:
                    info = client.get_flight_info(flight.FlightDescriptor.for_command(json.dumps(command)))
                    for endpoint in info.endpoints:
                        for chunk in client.do_get(endpoint.ticket):
                            yield chunk.data

    starts = spark.range(0, parts * step, step, parts).withColumnRenamed("id", "start")
    entries = starts.mapInArrow(read, "col int, value float")
    found = {row["col"]: row["sum(value)"] for row in entries.groupBy("col").sum("value").collect()}
    first = matrix.tocoo()
    expected = np.bincount(first.col[: parts * step], first.data[: parts * step], COLS)
    assert found == dict(enumerate(expected.tolist()))
