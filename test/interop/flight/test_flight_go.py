"""arrow-go on either side of Flight: its client on `annarrow serve`, and `annarrow` on its service.

Values are those that anndata reads from the same file, and those that pyarrow reads from the same service."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import anndata
import numpy as np
import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

from test_flight_server import CLI, PBMC, ROOT, Server

LIBRARY = (ROOT / "dist" / "node.js").as_uri()
SOURCES = Path(__file__).with_name("flight-go")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        pytest.fail("Go is not installed (1.25 or later): nothing is compared with arrow-go")
    built = tmp_path_factory.mktemp("go") / "flight-go"
    env = {**os.environ, "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local"}
    run = subprocess.run([go, "build", "-o", built, "."], cwd=SOURCES, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return built


# The client


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flight") / "data"
    folder.mkdir()
    shutil.copy(PBMC, folder / "pbmc.h5ad")
    # Small endpoints, so that its matrix has several.
    options = json.dumps({"port": 0, "endpointBytes": 2**19})
    script = folder.with_name("serve.mjs")
    script.write_text(
        f"import {{ serve }} from {json.dumps(LIBRARY)};\n"
        f"console.log((await serve({json.dumps(str(folder))}, {options})).location);\n"
    )
    process = subprocess.Popen(["node", script], stdout=subprocess.PIPE, text=True)
    yield SimpleNamespace(folder=folder, location=process.stdout.readline().strip())
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def adata():
    return anndata.read_h5ad(PBMC)


@pytest.fixture
def go(program, server):
    def call(kind, *arguments, **options):
        run = ask(program, server.location, kind, *arguments, **options)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    return call


def ask(program, location, kind, *arguments, token=None):
    env = {**os.environ, **({"FLIGHT_TOKEN": token} if token else {})}
    return subprocess.run([program, kind, location, *map(str, arguments)], env=env, capture_output=True, text=True, timeout=120)


def test_list(go, adata):
    found = {tuple(one["path"]): one for one in go("list")}
    assert found["pbmc.h5ad", "obs"]["columns"] == ["_index", *adata.obs.columns]
    assert found["pbmc.h5ad", "obs"]["rows"] == adata.n_obs
    # How a nested name is cut into parts is the service's choice.
    assert {"/".join(names): one["rows"] for names, one in found.items()}["pbmc.h5ad/layers/counts"] == adata.layers["counts"].nnz
    assert [one["path"] for one in go("list", "pbmc.h5ad/obs") if one["path"][1] == "obs"] == [["pbmc.h5ad", "obs"]]


def test_schema(go):
    found = go("schema", "pbmc.h5ad", "X")
    assert found == {"same": True, "types": {"row": "int32", "col": "int32", "value": "float32"}}


def test_dictionaries(go, adata, tmp_path):
    found = go("get", tmp_path / "obs.arrows", "pbmc.h5ad", "obs")
    assert found["rows"] == adata.n_obs
    for name in adata.obs.columns[adata.obs.dtypes == "category"]:
        values = adata.obs[name].astype(str).value_counts()
        assert found["columns"][name]["count"] == values[values > 0].to_dict()
    assert found["columns"]["n_genes"]["sum"] == adata.obs["n_genes"].sum()
    table = ipc.open_stream(tmp_path / "obs.arrows").read_all()
    assert table["_index"].to_pylist() == list(adata.obs_names)
    assert table["cell_type"].to_pylist() == list(adata.obs["cell_type"].astype(str))


def test_matrix_side_by_side(go, adata, tmp_path):
    found = go("get", tmp_path / "X.arrows", "pbmc.h5ad", "X")
    entries = adata.X.tocoo()
    assert len(found["endpoints"]) > 1
    assert sum(one["nnz"] for one in found["endpoints"]) == found["rows"] == entries.nnz
    assert [one["rows"][0] for one in found["endpoints"]] == [0, *(one["rows"][1] for one in found["endpoints"][:-1])]
    sums = {name: column["sum"] for name, column in found["columns"].items()}
    assert sums["row"] == entries.row.sum(dtype=np.int64) and sums["col"] == entries.col.sum(dtype=np.int64)
    assert np.isclose(sums["value"], entries.data.sum(dtype=np.float64), rtol=1e-12)
    table = ipc.open_stream(tmp_path / "X.arrows").read_all()
    for name, expected in [("row", entries.row), ("col", entries.col), ("value", entries.data)]:
        assert np.array_equal(table[name], expected)


@pytest.mark.parametrize("codec", ["plain", "lz4", "zstd"])
def test_upload(go, server, adata, codec):
    [result] = go("copy", codec, "pbmc.h5ad", f"{codec}.h5ad", "X", "obs", "var", "obsm/X_pca")
    assert result["tables"] == 4
    written = anndata.read_h5ad(server.folder / f"{codec}.h5ad")
    assert (written.X != adata.X).nnz == 0
    assert written.obs["cell_type"].tolist() == adata.obs["cell_type"].tolist()
    assert list(written.obs_names) == list(adata.obs_names) and list(written.var_names) == list(adata.var_names)
    assert np.array_equal(written.obsm["X_pca"], adata.obsm["X_pca"])
    assert list(server.folder.rglob(".*")) == []


def test_exchange(go, adata):
    sql = "select cell_type, sum(score) as total from mine join obs on barcode = _index group by 1"
    found = {row["cell_type"]: row["total"] for batch in go("exchange", "pbmc.h5ad", sql, 50) for row in batch}
    expected = adata.obs[:50].assign(score=np.arange(50.0)).groupby("cell_type", observed=True)["score"].sum()
    assert found == expected.to_dict()


def test_renew_and_cancel(go, adata):
    found = go("renew", "pbmc.h5ad", "var")
    after = found.pop("after")
    assert found == {"later": True, "rows": adata.n_vars, "cancelled": True}
    assert "Canceled" in after and "cancelled" in after


def test_action(go, adata):
    [about] = go("action", "inspect", '{"dataset": "pbmc.h5ad"}')
    assert about["shape"] == list(adata.shape)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["schema", "nosuch.h5ad", "X"], "NotFound"),
        (["schema", "pbmc.h5ad", "nosuch"], "NotFound"),
        (["schema", "..", "pbmc.h5ad", "X"], "InvalidArgument"),
        (["ticket", "00ff"], "InvalidArgument"),
        (["action", "nosuch", ""], "Unimplemented"),
        (["action", "commit", '{"dataset": "nosuch.h5ad"}'], "NotFound"),
        (["copy", "plain", "pbmc.h5ad", "../up.h5ad", "obs"], "InvalidArgument"),
        (["sql", "ask", 'insert into "pbmc.h5ad".obs values (1)'], "PermissionDenied"),
        (["sql", "ask", 'select nosuch from "pbmc.h5ad".obs'], "InvalidArgument"),
    ],
)
def test_refused(program, server, arguments, code):
    kind, *rest = arguments
    run = ask(program, server.location, kind, *rest)
    assert run.returncode == 1
    assert run.stderr.startswith(f"{code}: "), run.stderr


def test_sql_lists(go, adata):
    found = go("sql", "lists", "pbmc.h5ad")
    assert found["catalogs"] == found["keys"] == []
    assert {"catalog_name": None, "db_schema_name": "pbmc.h5ad"} in found["schemas"]
    assert {"X", "obs", "var", "layers/counts"} <= {one["table_name"] for one in found["tables"]}
    assert found["table types"] == [{"table_type": "TABLE"}]
    assert {"INTEGER", "VARCHAR", "DOUBLE"} <= {one["type_name"] for one in found["types"]}


def test_sql_statements(go, adata):
    counts = go("sql", "ask", 'select cell_type, count(*)::integer as n from "pbmc.h5ad".obs group by 1')
    assert {one["cell_type"]: one["n"] for one in counts} == adata.obs["cell_type"].value_counts().to_dict()
    sql = 'select _index, n_genes from "pbmc.h5ad".obs where n_genes > ? and cell_type = ? order by row'
    found = go("sql", "prepared", sql, '[{"1": 60, "2": "CD4 T cell"}]')
    chosen = adata.obs[(adata.obs["n_genes"] > 60) & (adata.obs["cell_type"] == "CD4 T cell")]
    assert found["types"] == ["int32", "utf8"] and found["columns"] == ["_index", "n_genes"]
    assert [(one["_index"], one["n_genes"]) for one in found["rows"]] == list(chosen["n_genes"].items())


def test_sql_cancel(go):
    found = go("sql", "cancel", "select range as n from range(100000000)")
    assert found["status"] == "CANCEL_STATUS_CANCELLED" and "Canceled" in found["error"]


def test_token(program, tmp_path):
    shutil.copy(PBMC, tmp_path / "pbmc.h5ad")
    server = Server(tmp_path, "--read-only", env={"ANNARROW_TOKEN": "secret"})
    try:
        for token, code in [(None, "Unauthenticated"), ("wrong", "Unauthenticated")]:
            assert ask(program, server.location, "schema", "pbmc.h5ad", "obs", token=token).stderr.startswith(code)
        assert json.loads(ask(program, server.location, "schema", "pbmc.h5ad", "obs", token="secret").stdout)["same"]
        refused = ask(program, server.location, "copy", "plain", "pbmc.h5ad", "new.h5ad", "obs", token="secret")
        assert refused.stderr.startswith("PermissionDenied: ") and "only reads" in refused.stderr
    finally:
        server.process.kill()


# The service


@pytest.fixture(scope="module", params=["plain", "lz4", "zstd"])
def uri(request, program):
    service = subprocess.Popen([program, "serve", request.param], stdout=subprocess.PIPE, text=True)
    yield f"grpc://{service.stdout.readline().strip()}"
    service.kill()
    service.wait()


def annarrow(*arguments):
    return subprocess.run([*CLI, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def reference(uri, name):
    with flight.connect(uri) as client:
        info = client.get_flight_info(flight.FlightDescriptor.for_path(*name.split("/")))
        parts = []
        for endpoint in info.endpoints:
            try:
                parts.append(client.do_get(endpoint.ticket).read_all())
            except flight.FlightUnavailableError:
                parts.append(client.do_get(endpoint.ticket).read_all())
        return pa.concat_tables(parts)


# What arrow-go's table has in each batch: every value of the dictionary, and null.
REPLACED = ["a", None, "b", "a", None, "c", None, "a", None]
GROWING = ["a", None, "a", "b", None, "a", "b", None, "a", "b", "a longer text", "d", None, "x", None, "x", "y", None]


@pytest.mark.parametrize("name", ["types", "folder/numbers", "folder/none"])
def test_table(uri, name, tmp_path):
    # Endpoints of folder/numbers end once in the middle: the first to read them has to begin again.
    run = annarrow("convert", uri, tmp_path / "out.arrow", "--table", name)
    assert run.returncode == 0, run.stderr
    found, expected = ipc.open_file(tmp_path / "out.arrow").read_all(), reference(uri, name)
    assert found.schema.names == expected.schema.names
    # The Arrow library of JavaScript has no views: they are text.
    text = {pa.string_view(): pa.string()}
    assert found.schema.types == [text.get(one, one) for one in expected.schema.types]
    assert found.to_pydict() == expected.to_pydict()


@pytest.mark.parametrize("name", ["folder/numbers", "replaced", "growing"])
def test_table_as_parquet(uri, name, tmp_path):
    run = annarrow("convert", uri, tmp_path / "out.parquet", "--table", name)
    assert run.returncode == 0, run.stderr
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == reference(uri, name).to_pydict()


@pytest.mark.parametrize(("name", "values"), [("replaced", REPLACED), ("growing", GROWING)])
def test_dictionaries_that_change(uri, name, values):
    assert reference(uri, name)["c"].to_pylist() == values
    assert opened(uri, f'[...(await data.table("{name}").read()).getChild("c")]') == values


def test_open(uri):
    names = opened(uri, "[...data.tables.keys()]")
    assert names == ["types", "folder/numbers", "replaced", "growing", "folder/none"]
    table = 'await data.table("folder/numbers").read({ rows: [29_990, 50_010], columns: ["i", "t"] })'
    assert opened(uri, f'[({table}).numRows, ({table}).get(0), ({table}).get(20_019)]') == [
        20020,
        {"i": 29990, "t": "row 29990"},
        {"i": 50009, "t": "row 50009"},
    ]


def test_nothing_there(uri):
    run = annarrow("inspect", f"{uri}/nothing")
    assert run.returncode == 1
    assert 'no flight "nothing"' in run.stderr


def opened(uri, expression):
    """An expression of JavaScript about the dataset `data`."""
    script = f"""
        import {{ open }} from {json.dumps(LIBRARY)};
        const data = await open({json.dumps(uri)});
        console.log(JSON.stringify({expression}));
        await data.close();
    """
    run = subprocess.run(["node", "--input-type=module", "--eval", script], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
