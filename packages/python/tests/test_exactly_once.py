"""A union by tasks of Ray whose workers are killed, and read by Spark whose executors are killed: every entry once.

What comes is compared with `anndata.concat`: all entries by a hash, and sums along both axes. With FULL there are more
files and kills.
"""

import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import annarrow
import anndata as ad
import numpy as np
import pandas as pd
import pytest
from annarrow._process import command
from conftest import eventually
from scipy import sparse

FULL = bool(os.environ.get("FULL"))
FILES, REAL, KILLS = (200, 20, 40) if FULL else (10, 3, 6)
SEED = int(os.environ.get("SEED", time.strftime("%Y%m%d")))
CORPUS = Path(os.environ.get("SHARED", "../shared")) / "corpus" / "anndata"


def matrix(seed: int) -> ad.AnnData:
    """Make a matrix with some genes of many, of small integers."""
    rng = np.random.default_rng([SEED, seed])
    genes = rng.choice(800, rng.integers(200, 400), replace=False)
    X = sparse.random(rng.integers(400, 900), len(genes), 0.1, "csr", np.float32, rng)
    X.data = rng.integers(1, 9, X.nnz).astype(np.float32)
    if seed % 4 == 0:
        X = X.tocsc()
    return named(X, [f"gene-{gene}" for gene in genes], seed)


def named(X, genes, name) -> ad.AnnData:
    obs = pd.DataFrame(index=[f"{name}-{i}" for i in range(X.shape[0])])
    return ad.AnnData(X, obs=obs, var=pd.DataFrame(index=list(genes)))


def real_matrices() -> Iterator[ad.AnnData]:
    """Give the matrices of real files in a random order, where there are any."""
    files = sorted(CORPUS.glob("*.h5ad"))
    for file in random.Random(SEED).sample(files, len(files)):
        try:
            found = ad.read_h5ad(file)
        except Exception:
            continue
        X = found.X
        isplain = getattr(X, "dtype", None) in ("float32", "float64", "int32", "int64") and min(found.shape) > 1
        if isplain and found.var_names.is_unique and np.isfinite(X.data if sparse.issparse(X) else X).all():
            yield named(X, found.var_names, file.stem)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> tuple[Path, ad.AnnData]:
    print(f"SEED={SEED}")
    folder = tmp_path_factory.mktemp("inputs")
    made = [*(matrix(seed) for seed in range(FILES)), *islice(real_matrices(), REAL)]
    for i, one in enumerate(made):
        one.write_h5ad(folder / f"in{i:03}.h5ad")
    return folder, ad.concat(made, join="outer", fill_value=0)


def hashed(X, genes: pd.Index, order: pd.Index) -> str:
    """Hash the entries, with the columns in one order."""
    entries = sparse.csr_matrix(X, dtype=np.float64)[:, genes.get_indexer(order)].tocsr()
    entries.sum_duplicates()
    entries.eliminate_zeros()
    entries.sort_indices()
    parts = [entries.indptr.astype(np.int64), entries.indices.astype(np.int64), entries.data]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def check(atlas: Path, expected: ad.AnnData) -> None:
    opened = annarrow.open(atlas)
    genes = pd.Index(opened.table("var").read()["_index"].to_pylist())
    assert opened.table("obs").read()["_index"].to_pylist() == expected.obs_names.tolist()
    assert sorted(genes) == sorted(expected.var_names)
    found = opened.table("X").read().to_pandas()
    # Where an entry came twice, its value would be twice as large.
    X = sparse.csr_matrix((found["value"], (found["row"], found["col"])), expected.shape, np.float64)
    assert hashed(X, genes, expected.var_names) == hashed(expected.X, expected.var_names, expected.var_names)


def descendants(pid: int) -> dict[int, str]:
    """Give the processes below one, with their command lines."""
    parents, lines = {}, {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            lines[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            parents[int(folder.name)] = int(fields[1]) if fields[0] != "Z" else 0
        except OSError:
            continue

    def isbelow(one: int) -> bool:
        while one in parents:
            one = parents[one]
            if one == pid:
                return True
        return False

    return {one: lines[one] for one in parents if isbelow(one)}


def kill_some(pid: int, isvictim: Callable[[str], bool], kills: int, isover: Callable[[], bool], pause: float) -> int:
    """Kill random processes below one, at random moments, until it is over; return how many were killed."""
    moments = random.Random(SEED)
    killed = 0
    while killed < kills and not isover():
        time.sleep(moments.random() * pause)
        victims = sorted(one for one, line in descendants(pid).items() if isvictim(line))
        if victims and not isover():
            try:
                os.kill(moments.choice(victims), signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
    return killed


DRIVER = """
import json, random, subprocess, sys
import ray
from annarrow._process import command

plan, seed, isdriven = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "commit"
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 << 20)

@ray.remote(max_retries=-1, retry_exceptions=True)
def run(task):
    subprocess.run(command("union", "task", plan, str(task)), check=True, capture_output=True)

tasks = 2 * list(range(len(json.load(open(plan))["tasks"])))
random.Random(seed).shuffle(tasks)
print("begun", flush=True)
ray.get([run.remote(task) for task in tasks])
print("done", flush=True)
if isdriven:
    subprocess.run(command("union", "commit", plan), check=True)
else:
    sys.stdin.read()
"""


def drive(plan: Path, what: str, seed: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(plan), str(seed), what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    until(process, "begun")
    return process


def wait(driver: subprocess.Popen[str], done: threading.Event) -> None:
    until(driver, "done")
    done.set()


def until(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == word:
            return
    raise AssertionError(f"the driver ended before it was {word}")


@pytest.fixture(scope="module")
def atlas(inputs, tmp_path_factory) -> Path:
    """Make a union by tasks that run twice, and whose processes are killed, and a driver that is killed."""
    folder, _ = inputs
    out = tmp_path_factory.mktemp("union")
    plan, atlas = out / "plan.json", out / "atlas"
    tasks = ["-o", str(plan), "--tasks", str(FILES // 2)]
    files = annarrow.files(folder / "*.h5ad")
    subprocess.run(command("union", "plan", *files, str(atlas), *tasks), check=True)
    for what in ["wait", "commit"]:
        driver = drive(plan, what, SEED)
        done = threading.Event()
        threading.Thread(
            target=lambda driver=driver, done=done: (until(driver, "done"), done.set()), daemon=True
        ).start()
        isvictim = lambda line: line.startswith("ray::run") or "union task" in line
        killed = kill_some(driver.pid, isvictim, KILLS // 2, done.is_set, 1)
        assert done.wait(600)
        print(f"{killed} processes of tasks were killed")
        assert killed > 0
        # Before the commit there is nothing.
        if what == "wait":
            assert not (atlas / "manifest.json").exists()
            driver.kill()
        driver.communicate()
        assert eventually(lambda driver=driver: not descendants(driver.pid))
    subprocess.run(command("union", "commit", str(plan)), check=True)
    return atlas


def test_a_union_by_ray(inputs, atlas):
    check(atlas, inputs[1])
    # What the killed ones left is not counted, and goes.
    subprocess.run(command("union", "clean", str(atlas)), check=True)
    check(atlas, inputs[1])


def test_spark_reads_a_union(inputs, atlas, spark):
    _, expected = inputs
    frame = spark.read.format("annarrow").option("table", "X").option("partitionBytes", 300_000).load(str(atlas))
    genes = pd.Index(annarrow.open(atlas).table("var").read()["_index"].to_pylist())
    questions = {
        "rows": lambda: frame.groupBy("row").sum("value").toPandas().set_index("row")["sum(value)"],
        "columns": lambda: frame.groupBy("col").sum("value").toPandas().set_index("col")["sum(value)"],
        "entries": lambda: frame.toPandas(),
    }
    jvm = spark.sparkContext._gateway.proc.pid
    answers, done = {}, threading.Event()

    def ask() -> None:
        try:
            for name, question in questions.items():
                answers[name] = question()
        finally:
            done.set()

    thread = threading.Thread(target=ask)
    thread.start()
    killed = kill_some(jvm, lambda line: "CoarseGrainedExecutorBackend" in line, max(2, KILLS // 3), done.is_set, 3)
    thread.join()
    print(f"{killed} executors were killed")
    assert killed > 0
    X = sparse.csr_matrix(expected.X, dtype=np.float64)
    rows = answers["rows"].reindex(range(X.shape[0]), fill_value=0)
    assert np.allclose(rows, np.asarray(X.sum(1)).ravel(), rtol=1e-12, atol=1e-9)
    columns = answers["columns"].reindex(range(X.shape[1]), fill_value=0)
    order = genes.get_indexer(expected.var_names)
    assert np.allclose(columns.to_numpy()[order], np.asarray(X.sum(0)).ravel(), rtol=1e-12, atol=1e-9)
    found = answers["entries"]
    assert not found.duplicated(["row", "col"]).any()
    entries = sparse.csr_matrix((found["value"], (found["row"], found["col"])), expected.shape, np.float64)
    assert hashed(entries, genes, expected.var_names) == hashed(expected.X, expected.var_names, expected.var_names)
