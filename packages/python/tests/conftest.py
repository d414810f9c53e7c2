"""A dataset with matrices of several forms and a frame with columns of several types, as anndata writes them."""

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

OBS, VAR = 900, 70


def dataset(seed: int = 0, obs: int = OBS, var: int = VAR) -> ad.AnnData:
    """Make a dataset. Values are small integers, so that sums are exact in any order."""
    rng = np.random.default_rng(seed)
    X = sparse.random(obs, var, 0.2, "csr", np.float32, rng)
    X.data = rng.integers(1, 9, X.nnz).astype(np.float32)
    frame = pd.DataFrame(
        {
            "cell_type": pd.Categorical(rng.choice(["B cell", "T cell", "NK cell"], obs)),
            "stage": pd.Categorical(rng.choice(["early", "late"], obs), ["early", "late"], ordered=True),
            "n_counts": rng.integers(0, 2**40, obs),
            "weight": rng.random(obs),
            "note": pd.array(rng.choice(["a", "b", None], obs), dtype="string"),
            "age": pd.array(rng.choice([None, 20, 30], obs), dtype="Int32"),
            "doublet": rng.random(obs) < 0.1,
        },
        index=[f"cell-{seed}-{i}" for i in range(obs)],
    )
    made = ad.AnnData(
        X, obs=frame, var=pd.DataFrame({"length": np.arange(var)}, index=[f"gene-{i}" for i in range(var)])
    )
    made.layers["csc"] = sparse.csc_matrix(X)
    made.layers["counts"] = sparse.csr_matrix(X.astype(np.uint64))
    made.obsm["X_pca"] = rng.random((obs, 3)).astype(np.float32)
    return made


@pytest.fixture(scope="session")
def data() -> ad.AnnData:
    """Give the dataset as anndata has it."""
    return dataset()


@pytest.fixture(scope="session")
def path(data: ad.AnnData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the file that anndata has written."""
    file = tmp_path_factory.mktemp("files") / "made.h5ad"
    data.write_h5ad(file)
    return file


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a matrix of ten million entries: more than the pipe and the workers hold."""
    file = tmp_path_factory.mktemp("files") / "large.h5ad"
    entries = 10_000_000
    indices = np.tile(np.arange(100, dtype=np.int32), entries // 100)
    X = sparse.csr_matrix(
        (np.ones(entries, np.float32), indices, np.arange(0, entries + 1, 100)), (entries // 100, 100)
    )
    ad.AnnData(X).write_h5ad(file)
    return file


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Give a session of Spark whose two executors are processes of their own."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.fail("Java is not installed (17 or later): no cluster of Spark can be started")
    import annarrow.spark
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    scratch = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", False)
        .config("spark.local.dir", str(scratch))
        .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
        .config("spark.executor.memory", "512m")
        .config("spark.sql.shuffle.partitions", 4)
        # Tests kill executors.
        .config("spark.task.maxFailures", 1000)
        .config("spark.stage.maxConsecutiveAttempts", 1000)
        .config("spark.deploy.maxExecutorRetries", -1)
        .config("spark.sql.python.filterPushdown.enabled", True)
        .getOrCreate()
    )
    session.dataSource.register(annarrow.spark.AnnDataSource)
    yield session
    session.stop()


def seconds_of(pid: int) -> float:
    """Give the seconds of processors that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def eventually(holds: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
