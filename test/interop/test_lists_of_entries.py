"""Lists of entries that pyarrow and polars wrote, without metadata, are the matrix of `--shape`."""

import re
import subprocess
from pathlib import Path

import anndata as ad
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

MAIN = Path(__file__).resolve().parents[2] / "dist" / "cli" / "main.js"
MATRIX = sp.random(50, 20, density=0.2, format="csr", random_state=1, dtype=np.float32)
ROWS = [MATRIX.getrow(i) for i in range(MATRIX.shape[0])]
ENTRIES = [[{"index": int(i), "value": float(v)} for i, v in zip(row.indices, row.data)] for row in ROWS]
INDICES = [row.indices.tolist() for row in ROWS]
VALUES = [row.data.tolist() for row in ROWS]


def arrow_file(table, path):
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)


def arrow_table(list_type, index):
    return pa.table({"entries": pa.array(ENTRIES, list_type(pa.struct([("index", index), ("value", pa.float32())])))})


def frame():
    return pl.DataFrame({"entries": ENTRIES}, {"entries": pl.List(pl.Struct({"index": pl.Int32, "value": pl.Float32}))})


WRITERS = {
    "pyarrow.parquet": lambda path: pq.write_table(arrow_table(pa.list_, pa.int32()), path),
    "large.parquet": lambda path: pq.write_table(arrow_table(pa.large_list, pa.int64()), path),
    "pyarrow.arrow": lambda path: arrow_file(arrow_table(pa.list_, pa.uint32()), path),
    "view.arrow": lambda path: arrow_file(arrow_table(pa.list_view, pa.int64()), path),
    "two.arrow": lambda path: arrow_file(pa.table({"data": VALUES, "indices": INDICES}), path),
    "polars.parquet": lambda path: frame().write_parquet(path),
    "polars.arrow": lambda path: frame().write_ipc(path, compression="zstd"),
    "polars.arrows": lambda path: frame().write_ipc_stream(path),
    "X.parquet": lambda path: pl.DataFrame({"index": INDICES, "value": VALUES}).write_parquet(path),
}


def convert(*arguments):
    return subprocess.run(["node", MAIN, "convert", *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("name", WRITERS)
def test_matrix(tmp_path, name):
    source, output = tmp_path / name, tmp_path / "out.h5ad"
    WRITERS[name](source)
    run = convert(source, output, "--shape", "50,20")
    assert run.returncode == 0, run.stderr
    found = ad.read_h5ad(output).X
    assert found.format == "csr"
    np.testing.assert_array_equal(found.toarray(), MATRIX.toarray())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], r"a matrix becomes X with its shape \(--shape ROWS,COLUMNS\)"),
        (["--shape", "50,20", "--obs-slice", "0:10"], r"write it to a store first \(annarrow convert IN OUT.h5ad --shape"),
    ],
)
def test_what_is_missing_is_told(tmp_path, options, message):
    source, output = tmp_path / "counts.parquet", tmp_path / "out.h5ad"
    WRITERS["pyarrow.parquet"](source)
    run = convert(source, output, *options)
    assert run.returncode == 1
    assert re.search(message, run.stderr), run.stderr
    assert not output.exists()
