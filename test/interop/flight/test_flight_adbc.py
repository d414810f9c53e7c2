"""ADBC's driver for Flight SQL asks `annarrow serve`; values are those that anndata reads from the same files."""

import threading
import time
import warnings

import adbc_driver_flightsql.dbapi as flight_sql
import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from test_flight_server import PBMC, Server, served_folder

ENDLESS = "select sum(a.range * b.range) from range(1000000) a, range(1000000) b"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(served_folder(tmp_path_factory.mktemp("adbc") / "data"), "--read-only")
    yield server
    server.process.kill()


@pytest.fixture(scope="module")
def adata():
    return anndata.read_h5ad(PBMC)


@pytest.fixture
def connection(server):
    options = {"adbc.flight.sql.rpc.call_header.schema": "pbmc.h5ad"}
    with warnings.catch_warnings():
        # There are no transactions, which the driver would begin.
        warnings.filterwarnings("ignore", message="Cannot disable autocommit")
        with flight_sql.connect(server.location, db_kwargs=options) as connection:
            yield connection


@pytest.fixture
def cursor(connection):
    with connection.cursor() as cursor:
        yield cursor


def answer(cursor, sql, parameters=None):
    cursor.execute(sql, parameters)
    return cursor.fetch_arrow_table()


def test_info(connection):
    assert connection.adbc_get_info()["vendor_name"] == "annarrow"
    assert connection.adbc_get_table_types() == ["TABLE"]


def test_objects(connection, adata):
    [catalog] = connection.adbc_get_objects(depth="all").read_all().to_pylist()
    schemas = {one["db_schema_name"]: one["db_schema_tables"] for one in catalog["catalog_db_schemas"]}
    assert catalog["catalog_name"] == "" and list(schemas) == ["pbmc.h5ad", "sub/pbmc.zarr.zip"]
    tables = {one["table_name"]: [column["column_name"] for column in one["table_columns"]] for one in schemas["pbmc.h5ad"]}
    assert tables["obs"] == ["_index", *adata.obs.columns, "row"]
    assert tables["X"] == tables["layers/counts"] == ["row", "col", "value"]
    assert "obsm/X_pca" in tables
    some = connection.adbc_get_objects(depth="tables", db_schema_filter="sub/%", table_name_filter="va_").read_all()
    [schema] = some.to_pylist()[0]["catalog_db_schemas"]
    assert [one["table_name"] for one in schema["db_schema_tables"]] == ["var"]


def test_types(connection, cursor):
    schema = connection.adbc_get_table_schema("obs", db_schema_filter="pbmc.h5ad")
    assert schema.field("cell_type").type == pa.string() and schema.field("n_counts").type == pa.int64()
    assert schema.field("pct_mt").type == pa.float32() and schema.field("is_doublet").type == pa.bool_()
    assert answer(cursor, "select * from obs limit 1").schema.types == schema.types


def test_obs(cursor, adata):
    found = answer(cursor, "select * from obs order by row").to_pandas()
    assert found["_index"].tolist() == list(adata.obs_names)
    assert found["cell_type"].tolist() == adata.obs["cell_type"].astype(str).tolist()
    for name in ["n_counts", "n_genes", "pct_mt"]:
        assert np.array_equal(found[name], adata.obs[name])


def test_matrix(cursor, adata):
    found, entries = answer(cursor, "select * from X"), adata.X.tocoo()
    assert np.array_equal(found["row"], entries.row) and np.array_equal(found["col"], entries.col)
    assert np.array_equal(found["value"], entries.data)


def test_sums(cursor, adata):
    sql = "select cell_type, sum(value::double) as total from X join obs using (row) group by 1 order by 1"
    found = answer(cursor, sql).to_pandas()
    cells = np.asarray(adata.X.astype(np.float64).sum(axis=1)).ravel()
    expected = pd.Series(cells).groupby(adata.obs["cell_type"].astype(str).to_numpy()).sum()
    assert found["cell_type"].tolist() == list(expected.index)
    assert np.allclose(found["total"], expected, rtol=1e-12)


def test_parameters(cursor, adata):
    sql = "select _index, n_genes from obs where n_genes > ? and cell_type = ? order by row"
    for least, kind in [(60, "CD4 T cell"), (100, "CD14+ monocyte")]:
        expected = adata.obs[(adata.obs["n_genes"] > least) & (adata.obs["cell_type"] == kind)]
        found = answer(cursor, sql, (least, kind))
        assert found["_index"].to_pylist() == list(expected.index)
        assert found["n_genes"].to_pylist() == expected["n_genes"].tolist()


def test_prepared_schema(cursor):
    parameters = cursor.adbc_prepare("select n_genes from obs where cell_type = $2 and n_genes > $1")
    assert parameters.types == [pa.int32(), pa.string()]


def test_preparing_runs_nothing(cursor):
    began = time.monotonic()
    cursor.adbc_prepare(ENDLESS)
    assert time.monotonic() - began < 30


def test_two_datasets(cursor, adata):
    sql = 'select count(*) as n from "pbmc.h5ad".obs a join "sub/pbmc.zarr.zip".obs b using (_index) where a.n_genes = b.n_genes'
    assert answer(cursor, sql)["n"].to_pylist() == [adata.n_obs]


def test_cancel(cursor):
    timer = threading.Timer(1.5, cursor.adbc_cancel)
    timer.start()
    with pytest.raises(flight_sql.Error, match="(?i)cancel"):
        cursor.execute(ENDLESS)
        cursor.fetchall()
    timer.join()
    # Other statements find the place free.
    assert answer(cursor, "select 1 as one")["one"].to_pylist() == [1]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("insert into obs values (1)", "INSERT is refused"),
        ("attach '/tmp/x.db'", "ATTACH is refused"),
        ("select nosuch from obs", 'column "nosuch" not found'),
        ("select * from nosuch", "nosuch does not exist"),
        ("select 1; select 2", "several statements"),
        ("select * from read_csv('/etc/passwd')", "disabled by configuration"),
        ("select * from obs where n_genes > 'many'", "Could not convert"),
    ],
)
def test_refused(cursor, sql, message):
    with pytest.raises(flight_sql.Error, match=message):
        answer(cursor, sql)
