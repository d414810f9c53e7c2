"""`annarrow convert grpc://…` from pyarrow's own Flight server: the tables are those that the server has."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from flight_server import OPTIONS, TABLES  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]


def annarrow(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([*CLI, *map(str, arguments)], capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module", params=OPTIONS)
def uri(request):
    server = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("flight_server.py"), request.param], stdout=subprocess.PIPE, text=True
    )
    yield f"grpc://127.0.0.1:{server.stdout.readline().strip()}"
    server.kill()
    server.wait()


def plain(table: pa.Table) -> dict:
    """The values, whatever they are coded by."""
    return table.to_pydict()


@pytest.mark.parametrize("name", ["types", "folder/numbers", "folder/sub/none"])
def test_table(uri, name, tmp_path):
    out = tmp_path / "out.arrow"
    run = annarrow("convert", uri, out, "--table", name)
    assert run.returncode == 0, run.stderr
    found = ipc.open_file(out).read_all()
    assert found.schema.names == TABLES[name].schema.names
    assert plain(found) == plain(TABLES[name])


def test_dictionaries_that_change(uri, tmp_path):
    """An Arrow file holds one dictionary for each column: Parquet holds the values."""
    run = annarrow("convert", uri, tmp_path / "out.arrow", "--table", "growing")
    assert run.returncode == 1
    assert "the batches do not share one dictionary" in run.stderr
    run = annarrow("convert", uri, tmp_path / "out.parquet", "--table", "growing")
    assert run.returncode == 0, run.stderr
    assert pq.read_table(tmp_path / "out.parquet")["c"].to_pylist() == TABLES["growing"]["c"].to_pylist()


def test_below_a_path(uri):
    run = annarrow("inspect", f"{uri}/folder", "--json")
    assert run.returncode == 0, run.stderr
    assert '"numbers"' in run.stdout and '"sub/none"' in run.stdout and '"types"' not in run.stdout


def test_nothing_there(uri):
    run = annarrow("inspect", f"{uri}/nothing")
    assert run.returncode == 1
    assert 'no flight "nothing"; there are types, folder/numbers' in run.stderr
