"""`annarrow serve` with pyarrow.flight as the client; values are those that anndata and h5py read from the same file."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

import anndata
import numpy as np
import pyarrow as pa
import pyarrow.flight as flight
import pytest
import zarr
from scipy import sparse

ROOT = Path(__file__).parents[3]
PBMC = ROOT / "examples" / "pbmc.h5ad"
CLI = ["node", str(ROOT / "dist" / "cli" / "main.js")]


class Server:
    def __init__(self, folder, *options, env=None):
        self.folder = folder
        self.process = subprocess.Popen(
            [*CLI, "serve", str(folder), "--port", "0", "--http-port", "0", *options],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **(env or {})},
        )
        self.lines = [json.loads(self.process.stderr.readline())]
        self.location = self.lines[0]["location"]
        self.http = f"http://127.0.0.1:{self.lines[0]['httpPort']}"
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(json.loads(line))

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(30)


def served_folder(path):
    (path / "sub").mkdir(parents=True)
    shutil.copy(PBMC, path / "pbmc.h5ad")
    shutil.copy(ROOT / "examples" / "pbmc.zarr.zip", path / "sub" / "pbmc.zarr.zip")
    outside = path.parent / "outside.h5ad"
    shutil.copy(PBMC, outside)
    (path / "out.h5ad").symlink_to(outside)
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(served_folder(tmp_path_factory.mktemp("flight") / "data"))
    yield server
    server.process.kill()


@pytest.fixture
def client(server):
    with flight.connect(server.location) as client:
        yield client


@pytest.fixture(scope="module")
def adata():
    return anndata.read_h5ad(PBMC)


def read(client, descriptor):
    info = client.get_flight_info(descriptor)
    return pa.concat_tables([client.do_get(endpoint.ticket).read_all() for endpoint in info.endpoints])


def path(*names):
    return flight.FlightDescriptor.for_path(*names)


def command(**what):
    return flight.FlightDescriptor.for_command(json.dumps(what))


def put(client, descriptor, table, **options):
    writer, reader = client.do_put(descriptor, table.schema, **options)
    writer.write_table(table, max_chunksize=1000)
    writer.done_writing()
    answer = reader.read()
    # What went wrong is raised here.
    writer.close()
    return json.loads(answer.to_pybytes())


def act(client, kind, **body):
    return [json.loads(result.body.to_pybytes()) for result in client.do_action(flight.Action(kind, json.dumps(body).encode()))]


# Reading


def test_obs(client, adata):
    table = read(client, path("pbmc.h5ad", "obs"))
    assert table["_index"].to_pylist() == list(adata.obs_names)
    assert table["cell_type"].to_pylist() == list(adata.obs["cell_type"].astype(str))
    assert pa.types.is_dictionary(table.schema.field("cell_type").type)
    assert table["n_genes"].to_pylist() == adata.obs["n_genes"].tolist()


@pytest.mark.parametrize("names", [("pbmc.h5ad", "X"), ("sub", "pbmc.zarr.zip", "X"), ("sub/pbmc.zarr.zip", "X")])
def test_matrix(client, adata, names):
    table = read(client, path(*names))
    entries = adata.X.tocoo()
    assert np.array_equal(table["row"], entries.row)
    assert np.array_equal(table["col"], entries.col)
    assert np.array_equal(table["value"], entries.data)


def test_nested_table_and_schema(client, adata):
    info = client.get_flight_info(path("pbmc.h5ad", "layers/counts"))
    assert client.get_schema(path("pbmc.h5ad", "layers", "counts")).schema == info.schema
    assert info.total_records == adata.layers["counts"].nnz
    assert info.ordered
    about = json.loads(info.endpoints[0].app_metadata)
    assert about == {"rows": [0, info.total_records], "nnz": info.total_records}


def test_command_with_columns_rows_and_layout(client, adata):
    table = read(client, command(dataset="pbmc.h5ad", table="X", columns=["value", "row"], rows=[100, 200]))
    assert table.column_names == ["value", "row"]
    assert np.array_equal(table["value"], adata.X.tocoo().data[100:200])
    lists_wanted = command(dataset="pbmc.h5ad", table="X", layout="list", rows=[3, 5])
    lists = read(client, lists_wanted)
    [column] = lists.columns
    for row, entries in zip([3, 4], column.to_pylist(), strict=True):
        assert [entry["index"] for entry in entries] == adata.X[row].indices.tolist()
        assert [entry["value"] for entry in entries] == adata.X[row].data.tolist()
    [endpoint] = client.get_flight_info(lists_wanted).endpoints
    assert json.loads(endpoint.app_metadata) == {"rows": [3, 5], "nnz": adata.X[3:5].nnz}


def test_statement(client, adata):
    descriptor = command(dataset="pbmc.h5ad", sql="select cell_type, count(*) as n from obs group by 1")
    schema = client.get_schema(descriptor).schema
    table = read(client, descriptor)
    assert table.schema == schema
    assert dict(zip(table["cell_type"].to_pylist(), table["n"].to_pylist())) == adata.obs["cell_type"].value_counts().to_dict()


def test_a_store_whose_chunk_changes(tmp_path, adata):
    # Whatever another module says of text in pandas.
    with anndata.settings.override(allow_write_nullable_strings=True):
        adata.write_zarr(tmp_path / "store.zarr")
    server = Server(tmp_path)
    with flight.connect(server.location) as client:
        info = client.get_flight_info(path("store.zarr", "obs"))
        table = client.do_get(info.endpoints[0].ticket).read_all()
        assert table["n_genes"].to_pylist() == adata.obs["n_genes"].tolist()
        adata.obs["n_genes"] += 1
        store = zarr.open(tmp_path / "store.zarr")
        store["obs/n_genes"][:] = adata.obs["n_genes"].to_numpy()
        with pytest.raises(KeyError, match="has changed since the ticket"):
            client.do_get(info.endpoints[0].ticket).read_all()
        assert read(client, path("store.zarr", "obs"))["n_genes"].to_pylist() == adata.obs["n_genes"].tolist()
        adata.obs["n_genes"] -= 1
    assert server.stop() == 0


def test_list_flights(client):
    paths = [info.descriptor.path for info in client.list_flights(b"pbmc.h5ad/obs")]
    assert [b"pbmc.h5ad", b"obs"] in paths and all(names[0] == b"pbmc.h5ad" for names in paths)
    every = {tuple(info.descriptor.path) for info in client.list_flights()}
    assert (b"sub", b"pbmc.zarr.zip", b"var") in every
    assert not any(b"out.h5ad" in names for names in every)


def test_tickets_are_idempotent_and_batches_share_a_dictionary(client):
    ticket = client.get_flight_info(path("pbmc.h5ad", "obs")).endpoints[0].ticket
    assert client.do_get(ticket).read_all() == client.do_get(ticket).read_all()


def large_matrix(folder):
    """Six million entries: two endpoints."""
    rows, cols = 3000, 4000
    rng = np.random.default_rng(0)
    large = anndata.AnnData(sparse.random(rows, cols, 0.5, "csr", np.float32, rng=rng))
    folder.mkdir()
    large.write_h5ad(folder / "large.h5ad")
    return large


def test_several_endpoints(tmp_path):
    folder = tmp_path / "data"
    large = large_matrix(folder)
    server = Server(folder)
    try:
        with flight.connect(server.location) as client:
            info = client.get_flight_info(path("large.h5ad", "X"))
            assert len(info.endpoints) > 1
            about = [json.loads(endpoint.app_metadata) for endpoint in info.endpoints]
            assert about[0]["rows"][0] == 0 and about[-1]["rows"][1] == large.X.nnz == sum(one["nnz"] for one in about)
            parts = [None] * len(info.endpoints)

            def take(i):
                with flight.connect(server.location) as other:
                    parts[i] = other.do_get(info.endpoints[i].ticket).read_all()

            threads = [threading.Thread(target=take, args=(i,)) for i in range(len(parts))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            table = pa.concat_tables(parts)
            entries = large.X.tocoo()
            assert np.array_equal(table["row"], entries.row) and np.array_equal(table["col"], entries.col)
            assert np.array_equal(table["value"], entries.data)
            assert max(batch.nbytes for part in parts for batch in part.to_batches()) <= 2**21

            # A slow client, and one that stops in the middle.
            slow = client.do_get(info.endpoints[0].ticket)
            got = slow.read_chunk().data.num_rows
            time.sleep(1)
            got += slow.read_all().num_rows
            assert got == about[0]["nnz"]
            left = client.do_get(info.endpoints[1].ticket)
            left.read_chunk()
            left.cancel()
            assert act(client, "health")[0]["status"] == "serving"

            # The file changes: tickets of the old one are refused.
            large[:10].copy().write_h5ad(folder / "large.h5ad")
            with pytest.raises(KeyError, match="has changed"):
                client.do_get(info.endpoints[0].ticket).read_all()
    finally:
        assert server.stop() == 0


# Actions


def test_actions(client):
    assert {"inspect", "commit", "abort", "cancel", "health"} <= {action.type for action in client.list_actions()}
    [about] = act(client, "inspect", dataset="pbmc.h5ad")
    assert about["shape"] == [2700, 800]
    assert about["format"] == "anndata"


def test_cancel(client):
    ticket = client.get_flight_info(command(dataset="pbmc.h5ad", table="obs", rows=[0, 7])).endpoints[0].ticket
    assert list(client.do_action(flight.Action("cancel", ticket.ticket))) == []
    with pytest.raises(flight.FlightCancelledError, match="cancelled"):
        client.do_get(ticket).read_all()


def test_cancel_flight_info_and_renew(client):
    info = client.get_flight_info(command(dataset="pbmc.h5ad", table="obs", rows=[0, 9]))
    endpoint = info.endpoints[0].serialize()
    # RenewFlightEndpointRequest and CancelFlightInfoRequest have one message each, as field 1.
    request = lambda message: b"\x0a" + bytes([len(message) & 127 | 128, len(message) >> 7]) + message  # noqa: E731
    [renewed] = client.do_action(flight.Action("RenewFlightEndpoint", request(endpoint)))
    renewed = flight.FlightEndpoint.deserialize(renewed.body.to_pybytes())
    assert renewed.expiration_time.as_py() >= info.endpoints[0].expiration_time.as_py()
    assert client.do_get(renewed.ticket).read_all().num_rows == 9
    [result] = client.do_action(flight.Action("CancelFlightInfo", request(info.serialize())))
    assert result.body.to_pybytes() == b"\x08\x01"


# Writing


def test_upload_commit_and_replace(client, server, adata):
    for table in ["X", "obs", "var", "obsm/X_pca"]:
        content = read(client, path("pbmc.h5ad", table))
        answer = put(client, command(dataset="sub/new.h5ad", table=table, upload="one"), content)
        assert answer["rows"] == content.num_rows
    assert not (server.folder / "sub" / "new.h5ad").exists()
    [result] = act(client, "commit", dataset="sub/new.h5ad", upload="one")
    assert result["tables"] == 4
    written = anndata.read_h5ad(server.folder / "sub" / "new.h5ad")
    assert (written.X != adata.X).nnz == 0
    assert written.obs["cell_type"].tolist() == adata.obs["cell_type"].tolist()
    assert np.array_equal(written.obsm["X_pca"], adata.obsm["X_pca"])
    put(client, command(dataset="sub/new.h5ad", table="X", upload="two"), read(client, path("pbmc.h5ad", "X")))
    with pytest.raises(pa.ArrowException, match="overwrite"):
        act(client, "commit", dataset="sub/new.h5ad", upload="two")
    assert leftovers(server.folder) == []


def leftovers(folder):
    return [str(name) for name in folder.rglob(".*")]


def test_upload_is_dropped(client, server):
    put(client, path("dropped.h5ad", "X"), read(client, path("pbmc.h5ad", "X")))
    assert len(leftovers(server.folder)) == 1
    assert act(client, "abort", dataset="dropped.h5ad") == []
    assert leftovers(server.folder) == []
    with pytest.raises(KeyError, match="no upload"):
        act(client, "commit", dataset="dropped.h5ad")


def test_what_a_killed_server_has_left_is_removed_by_the_next(tmp_path):
    folder = served_folder(tmp_path / "data")
    first, second = Server(folder), Server(folder)
    with flight.connect(first.location) as one, flight.connect(second.location) as two:
        table = read(one, path("pbmc.h5ad", "obs"))
        put(one, path("sub/first.h5ad", "obs"), table)
        put(two, path("second.h5ad", "obs"), table)
    [left] = leftovers(folder / "sub")
    [kept] = [name for name in leftovers(folder) if name != left]
    first.stop(signal.SIGKILL)
    assert sorted(leftovers(folder)) == sorted([left, kept])
    third = Server(folder)
    deadline = time.time() + 20
    while leftovers(folder / "sub") and time.time() < deadline:
        time.sleep(0.05)
    assert leftovers(folder) == [kept]
    with flight.connect(second.location) as two:
        act(two, "abort", dataset="second.h5ad")
    assert leftovers(folder) == []
    assert third.stop() == 0 and second.stop() == 0
    assert [line["path"] for line in third.lines if line["event"].endswith("; removed")] == [left]


def test_a_client_that_stops_in_the_middle_of_an_upload_leaves_nothing(client, server):
    table = read(client, path("pbmc.h5ad", "X"))
    other = flight.connect(server.location)
    writer, _ = other.do_put(path("half.h5ad", "X"), table.schema, options=flight.FlightCallOptions(timeout=0.7))
    writer.write_batch(table.to_batches()[0])
    with pytest.raises(pa.ArrowException):
        for _ in range(100):
            time.sleep(0.1)
            writer.write_batch(table.to_batches()[0].slice(0, 10))
    deadline = time.time() + 20
    while leftovers(server.folder) and time.time() < deadline:
        time.sleep(0.1)
    assert leftovers(server.folder) == []


def test_what_no_format_holds_is_refused_and_leaves_nothing(client, server):
    interval = pa.table({"a": pa.array([pa.MonthDayNano([1, 2, 3])])})
    with pytest.raises(pa.ArrowException):
        put(client, path("odd.h5ad", "obs"), interval)
    for descriptor in [path("../up.h5ad", "X"), path("out.h5ad", "X"), path("nosuch/new.h5ad", "X"), path(".h.h5ad", "X"), path("x.h5ad")]:
        with pytest.raises((pa.ArrowException, KeyError, flight.FlightError)):
            put(client, descriptor, pa.table({"row": [0]}))
    assert leftovers(server.folder) == []
    assert not (server.folder.parent / "up.h5ad").exists()


def test_exchange(client, adata):
    mine = pa.table({"barcode": list(adata.obs_names[:50]), "score": np.arange(50.0)})
    sql = "select cell_type, sum(score) as total from mine join obs on barcode = _index group by 1"
    writer, reader = client.do_exchange(command(dataset="pbmc.h5ad", sql=sql, upload="mine"))
    with writer:
        writer.begin(mine.schema)
        writer.write_table(mine, max_chunksize=7)
        writer.done_writing()
        table = reader.read_all()
    expected = adata.obs[:50].assign(score=np.arange(50.0)).groupby("cell_type", observed=True)["score"].sum()
    assert dict(zip(table["cell_type"].to_pylist(), table["total"].to_pylist())) == expected.to_dict()


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_upload(client, codec):
    table = pa.table({"a": np.arange(10000)})
    options = flight.FlightCallOptions(write_options=pa.ipc.IpcWriteOptions(compression=codec))
    answer = put(client, command(dataset=f"{codec}.h5ad", table="obs"), table, options=options)
    assert answer["rows"] == 10000
    act(client, "abort", dataset=f"{codec}.h5ad")


# Bad requests


@pytest.mark.parametrize(
    ("descriptor", "error", "message"),
    [
        (path("nosuch.h5ad", "X"), KeyError, "nothing is served"),
        (path("pbmc.h5ad", "obsx"), KeyError, "did you mean obs"),
        (path("pbmc.h5ad"), pa.ArrowInvalid, "name one of its tables"),
        (path("..", "outside.h5ad", "X"), pa.ArrowInvalid, "no name that is served"),
        (path("a\0b"), pa.ArrowInvalid, "no name that is served"),
        (path(""), pa.ArrowInvalid, "no path"),
        (path("out.h5ad", "X"), flight.FlightUnauthorizedError, "leads out"),
        (flight.FlightDescriptor.for_command(b"\xff"), pa.ArrowInvalid, "no JSON"),
        (command(dataset="pbmc.h5ad", table="X", rows=[5]), pa.ArrowInvalid, "rows must be"),
        (command(dataset="pbmc.h5ad", table="X", colums=["row"]), pa.ArrowInvalid, "colums"),
        (command(dataset="pbmc.h5ad", table="obs", layout="list"), pa.ArrowInvalid, "no layout"),
        (command(dataset="pbmc.h5ad", sql="select 1", upload="mine"), pa.ArrowInvalid, "upload names a table"),
        (command(dataset="pbmc.h5ad", sql="select 1", columns=["row"]), pa.ArrowInvalid, "either sql or columns"),
    ],
)
def test_bad_descriptors(client, descriptor, error, message):
    with pytest.raises(error, match=message):
        client.get_flight_info(descriptor)


def test_bad_tickets(client):
    ticket = client.get_flight_info(path("pbmc.h5ad", "obs")).endpoints[0].ticket.ticket
    for forged in [b"", b"x", b"x" * 100, ticket[:-1], ticket[:-1] + bytes([ticket[-1] ^ 1]), b" " + ticket]:
        with pytest.raises(pa.ArrowInvalid, match="none of this server's"):
            client.do_get(flight.Ticket(forged)).read_all()
    assert client.do_get(flight.Ticket(ticket)).read_all().num_rows == 2700


def test_unknown_action(client):
    with pytest.raises(NotImplementedError, match="no action"):
        list(client.do_action(flight.Action("nosuch", b"")))


# Who is let in, and how


def test_tokens(tmp_path):
    server = Server(served_folder(tmp_path / "data"), "--read-only", env={"ANNARROW_TOKEN": "secret"})
    try:
        with flight.connect(server.location) as client:
            with pytest.raises(flight.FlightUnauthenticatedError):
                client.get_flight_info(path("pbmc.h5ad", "obs"))
            wrong = flight.FlightCallOptions(headers=[(b"authorization", b"Bearer wrong")])
            with pytest.raises(flight.FlightUnauthenticatedError):
                client.get_flight_info(path("pbmc.h5ad", "obs"), wrong)
            with pytest.raises(flight.FlightUnauthenticatedError):
                client.authenticate_basic_token("me", "wrong")
            bearer = client.authenticate_basic_token("me", "secret")
            assert bearer == (b"authorization", b"Bearer secret")
            options = flight.FlightCallOptions(headers=[bearer])
            info = client.get_flight_info(path("pbmc.h5ad", "obs"), options)
            assert client.do_get(info.endpoints[0].ticket, options).read_all().num_rows == 2700
            with pytest.raises(flight.FlightUnauthorizedError, match="only reads"):
                put(client, path("new.h5ad", "obs"), pa.table({"a": [1]}), options=options)
        assert "secret" not in json.dumps(server.lines)
    finally:
        assert server.stop(signal.SIGINT) == 0


def test_tls(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    server = Server(served_folder(tmp_path / "data"), "--tls-cert", str(certificate), "--tls-key", str(key))
    try:
        assert server.location.startswith("grpc+tls://")
        with flight.connect(server.location, tls_root_certs=certificate.read_bytes()) as client:
            assert read(client, path("pbmc.h5ad", "obs")).num_rows == 2700
    finally:
        server.stop()


def test_many_small_requests_at_once(server):
    errors = []

    def run(k):
        try:
            with flight.connect(server.location) as client:
                for i in range(20):
                    start = 20 * k + i
                    table = read(client, command(dataset="pbmc.h5ad", table="obs", columns=["_index"], rows=[start, start + 1]))
                    assert table.num_rows == 1
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_clients_that_stop_reading_are_cut_off_and_hold_nothing(tmp_path):
    large = large_matrix(tmp_path / "data")
    server = Server(tmp_path / "data", "--stall-seconds", "1")
    # A connection of its own for each, whose window does not grow.
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 2**16)]

    def gauge(name):
        with urllib.request.urlopen(f"{server.http}/metrics") as response:
            lines = response.read().decode().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))

    def memory():
        return [gauge(name) for name in ("process_resident_memory_bytes", "nodejs_external_memory_bytes")]

    try:
        with flight.connect(server.location) as client:
            endpoints = client.get_flight_info(path("large.h5ad", "X")).endpoints
            after = []
            for _ in range(6):
                stopped = [flight.connect(server.location, generic_options=options) for _ in range(12)]
                readers = [one.do_get(endpoints[0].ticket) for one in stopped]
                deadline = time.time() + 30
                while gauge("annarrow_streams") > 0 and time.time() < deadline:
                    time.sleep(0.1)
                assert gauge("annarrow_streams") == 0
                after.append(memory())
                for reader in readers:
                    with pytest.raises(pa.ArrowException, match="resource exhausted"):
                        reader.read_all()
                for one in stopped:
                    one.close()
            # Once the server is warm: what 36 streams had ready would be 100 MiB.
            assert all(last < warm + 2**26 for warm, last in zip(after[2], after[5], strict=True)), after
            # Who goes on is served.
            assert sum(client.do_get(one.ticket).read_all().num_rows for one in endpoints) == large.X.nnz
        ended = [line for line in server.lines if line.get("method") == "DoGet" and line["status"] != "OK"]
        assert len(ended) == 72
        assert {(line["status"], line["message"]) for line in ended} == {("DEADLINE_EXCEEDED", "the client takes nothing for 1 s")}
    finally:
        assert server.stop() == 0


def test_http_beside_it(server, adata):
    with urllib.request.urlopen(f"{server.http}/pbmc.h5ad/obs?columns=_index&rows=0-5") as response:
        table = pa.ipc.open_stream(response.read()).read_all()
    assert table["_index"].to_pylist() == list(adata.obs_names[:5])


def test_a_running_stream_may_end_when_the_server_is_stopped(tmp_path):
    server = Server(served_folder(tmp_path / "data"))
    client = flight.connect(server.location)
    reader = client.do_get(client.get_flight_info(path("pbmc.h5ad", "X")).endpoints[0].ticket)
    got = reader.read_chunk().data.num_rows
    server.process.send_signal(signal.SIGTERM)
    got += reader.read_all().num_rows
    assert got == 187809
    client.close()
    assert server.process.wait(20) == 0
    # The stream itself may end before or after the first of them.
    assert [line["event"] for line in server.lines if line["event"] != "request"][-2:] == ["stopping", "stopped"]
