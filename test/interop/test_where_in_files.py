"""`where` of tables in Parquet and Arrow files that pyarrow wrote: the rows are the ones that pyarrow filters and takes."""

import json
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = 1000


def table() -> pa.Table:
    rng = np.random.default_rng(11)
    missing = rng.random(ROWS) < 0.2

    def with_nulls(values, type=None):
        return pa.array([None if gone else value for gone, value in zip(missing, values)], type)

    start = datetime(2024, 2, 28)
    return pa.table({
        "sorted": pa.array(np.arange(ROWS), pa.int64()),
        "n": with_nulls(rng.integers(-50, 50, ROWS).tolist(), pa.int16()),
        "x": with_nulls(rng.standard_normal(ROWS).tolist(), pa.float64()),
        "kind": with_nulls(rng.choice(["T cell", "B cell", "it's", "é"], ROWS).tolist()),
        "code": with_nulls(rng.choice(["b", "a"], ROWS).tolist()).dictionary_encode(),
        "flag": with_nulls((rng.random(ROWS) < 0.5).tolist()),
        "time": with_nulls([start + timedelta(hours=int(i)) for i in range(ROWS)], pa.timestamp("us")),
        "list": with_nulls([list(range(i % 4)) for i in range(ROWS)], pa.list_(pa.int32())),
    })


n, x, kind, code, flag, at = (pc.field(name) for name in ("n", "x", "kind", "code", "flag", "sorted"))
# Conditions in SQL and as pyarrow's expressions. Both leave out rows for which a condition is null.
CONDITIONS = {
    "n > 20 and kind = 'B cell'": (n > 20) & (kind == "B cell"),
    "kind in ('it''s', 'é') or x < -1.5": kind.isin(["it's", "é"]) | (x < -1.5),
    "n is null": n.is_null(),
    "not flag": ~flag,
    "code = 'a' and not (n between -10 and 10)": (code == "a") & ~((n >= -10) & (n <= 10)),
    "sorted between 250 and 260": (at >= 250) & (at <= 260),
    "sorted >= 990 or sorted = 0": (at >= 990) | (at == 0),
    "time >= '2024-03-01' and x > 0": (pc.field("time") >= pa.scalar(datetime(2024, 3, 1), pa.timestamp("us"))) & (x > 0),
    "n > 1000": n > 1000,
}


def arrow_file(data: pa.Table, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, data.schema) as writer:
        writer.write_table(data, max_chunksize=130)


FORMS = {
    "groups.parquet": lambda data, path: pq.write_table(data, path, row_group_size=130),
    "one.parquet": lambda data, path: pq.write_table(data, path, compression="zstd"),
    "plain.parquet": lambda data, path: pq.write_table(data, path, row_group_size=77, use_dictionary=False, write_statistics=False),
    "batches.arrow": arrow_file,
    "lz4.arrow": lambda data, path: feather.write_feather(data, path, compression="lz4", chunksize=256),
}


@pytest.mark.parametrize("name", FORMS)
def test_rows(tmp_path, name):
    data, file = table(), tmp_path / name
    FORMS[name](data, file)
    rng = np.random.default_rng(5)
    positions = rng.choice(ROWS, 40, replace=False).tolist()
    mask = (rng.random(ROWS) < 0.1).tolist()
    chosen = [({"sql": sql}, data.filter(expression)) for sql, expression in CONDITIONS.items()]
    # Rows come in stored order, each once.
    chosen += [({"positions": positions + positions[:3]}, data.take(sorted(positions))), ({"positions": []}, data.slice(0, 0))]
    chosen += [({"mask": mask}, data.filter(pa.array(mask)))]
    chosen += [({"slice": [start, end]}, data.slice(start, max(0, end - start))) for start, end in [(100, 300), (129, 131), (0, 1), (999, 5000)]]
    cases = [{"input": str(file), "output": str(tmp_path / f"{i}.arrow"), **one} for i, (one, _) in enumerate(chosen)]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    run = subprocess.run(["node", ROOT / "test/interop/read_where.mjs", tmp_path / "cases.json"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    counts = set()
    for case, (one, expected) in zip(cases, chosen):
        with pa.memory_map(case["output"]) as source:
            found = pa.ipc.open_file(source).read_all()
            assert [field.name for field in found.schema] == [field.name for field in expected.schema]
            assert found.to_pylist() == expected.to_pylist(), one
        counts.add(expected.num_rows)
    assert len(counts) > 8
