"""Spark sums the values of each gene of a matrix: spark_peer.py ours|pandas|parquet IN FOLDER.

`ours` reads IN by the data source of the package. `pandas` reads it in ranges of cells by anndata, as data frames, in
`mapInPandas`. `parquet` converts it by the package, then Spark reads Parquet. The clock starts with the session, whose
start costs all three the same.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import anndata as ad
import h5py
import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import count, sum  # noqa: A004

CELLS_OF_A_TASK = 1000
"""About two million entries."""


def of_source(spark: SparkSession, source: str) -> DataFrame:
    import annarrow.spark

    spark.dataSource.register(annarrow.spark.AnnDataSource)
    return spark.read.format("annarrow").option("table", "X").option("columns", "col,value").load(source)


def of_pandas(spark: SparkSession, source: str) -> DataFrame:
    with h5py.File(source) as file:
        cells = len(file["X/indptr"]) - 1

    def read(starts: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        data = ad.read_h5ad(source, backed="r")
        for frame in starts:
            for start in frame["id"]:
                chunk = data.X[start : start + CELLS_OF_A_TASK].tocoo()
                yield pd.DataFrame({"col": chunk.col.astype("int32"), "value": chunk.data})

    tasks = -(-cells // CELLS_OF_A_TASK)
    starts = spark.range(0, cells, CELLS_OF_A_TASK, numPartitions=tasks)
    return starts.mapInPandas(read, "col int, value float")


def of_parquet(spark: SparkSession, source: str, folder: str) -> DataFrame:
    out = Path(folder) / "X.parquet"
    subprocess.run(
        [sys.executable, "-m", "annarrow", "convert", source, out, "--table", "X", "--overwrite"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return spark.read.parquet(str(out))


def main(task: str, source: str, folder: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
    spark = builder.config("spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", 2).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    began = time.perf_counter()
    match task:
        case "ours":
            frame = of_source(spark, source)
        case "pandas":
            frame = of_pandas(spark, source)
        case "parquet":
            frame = of_parquet(spark, source, folder)
        case _:
            raise ValueError(task)
    sums = frame.groupBy("col").agg(sum("value").alias("value"), count("*").alias("entries")).toPandas()
    seconds = time.perf_counter() - began
    result = {"entries": int(sums["entries"].sum()), "value": float(sums["value"].sum()), "genes": len(sums)}
    print(json.dumps({"seconds": seconds, "result": result}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
