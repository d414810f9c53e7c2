"""What a Python user does instead of `annarrow query`. Each task prints {"seconds", "result"}, as peer.py does.

    query_peer.py mean IN GENE            the mean of one gene by ten groups of obs, backed, by pandas
    query_peer.py mean-duckdb IN GENE     the same by DuckDB, over the whole matrix in memory as an Arrow table
    query_peer.py rows IN START END       the cells from START to before END, backed
    query_peer.py first IN COUNT          the first entries, backed
    query_peer.py gene IN GENE            one gene, backed
    query_peer.py group PARQUET           the sum of each row of a coordinate table, by DuckDB
"""

import json
import sys
import time


def entries(values) -> dict:
    return {"entries": len(values), "value": float(values.sum(dtype="float64"))}


def mean(source: str, gene: str) -> dict:
    data = anndata.read_h5ad(source, backed="r")
    values = data.X[:, [int(gene)]].toarray().ravel().astype("float64")
    means = pd.Series(values).groupby(data.obs["number"].to_numpy() % 10).mean()
    return {"groups": len(means), "mean": float(means.sum())}


def mean_duckdb(source: str, gene: str) -> dict:
    data = anndata.read_h5ad(source)
    x = data.X
    row = np.repeat(np.arange(x.shape[0], dtype=np.int32), np.diff(x.indptr))
    names = {"X": pa.table({"row": row, "col": x.indices.astype(np.int32, copy=False), "value": x.data})}
    names["obs"] = pa.table({"row": np.arange(x.shape[0]), "number": data.obs["number"].to_numpy()})
    connection = duckdb.connect()
    for name, table in names.items():
        connection.register(name, table)
    groups, total = connection.sql(
        f"""select count(*), sum(mean) from (select number % 10 as kind, sum(value::double) / count(*) as mean from obs
            left join (select row, value from X where col = {int(gene)}) using (row) group by kind)"""
    ).fetchall()[0]
    return {"groups": groups, "mean": total}


def group(table: str) -> dict:
    rows, total = duckdb.sql(
        f"select count(*), sum(total) from (select row, sum(value::double) as total from '{table}' group by row)"
    ).fetchall()[0]
    return {"rows": rows, "total": total}


def rows(source: str, start: str, end: str) -> dict:
    return entries(anndata.read_h5ad(source, backed="r")[int(start) : int(end)].to_memory().X.data)


def first(source: str, count: str) -> dict:
    return entries(anndata.read_h5ad(source, backed="r").X[:1].data[: int(count)])


def gene(source: str, gene: str) -> dict:
    data = anndata.read_h5ad(source, backed="r")
    return lambda: entries(data.X[:, [int(gene)]].data)


TASKS = {"mean": mean, "mean-duckdb": mean_duckdb, "rows": rows, "first": first, "gene": gene, "group": group}

if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    # Only what the task needs, since its whole process is timed.
    if task in ("mean-duckdb", "group"):
        import duckdb
    if task != "group":
        import anndata
    if task == "mean":
        import pandas as pd
    if task == "mean-duckdb":
        import numpy as np
        import pyarrow as pa
    began = time.perf_counter()
    result = TASKS[task](*arguments)
    if callable(result):
        # The file is open now.
        began = time.perf_counter()
        result = result()
    print(json.dumps({"seconds": time.perf_counter() - began, "result": result}))
