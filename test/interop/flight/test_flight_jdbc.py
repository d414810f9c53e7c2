"""
Arrow's JDBC driver for Flight SQL asks `annarrow serve`, in a Java inside Python; values are those that anndata reads from
the same file. JDBC_DRIVER is the path of the driver's .jar; without it the tests are left out.
"""

import contextlib
import os
import threading

import anndata
import numpy as np
import pandas as pd
import pytest

from test_flight_server import PBMC, Server, served_folder

DRIVER = os.environ.get("JDBC_DRIVER")
pytestmark = pytest.mark.skipif(DRIVER is None, reason="JDBC_DRIVER does not name the driver")


@pytest.fixture(scope="module")
def java():
    import jpype.config

    # Threads of a cancelled statement would keep Java, and this process, from ending.
    jpype.config.onexit = False
    jpype.startJVM("--add-opens=java.base/java.nio=ALL-UNNAMED", classpath=[DRIVER], convertStrings=True)
    jpype.JClass("java.util.logging.LogManager").getLogManager().reset()
    return jpype


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(served_folder(tmp_path_factory.mktemp("jdbc") / "data"), "--read-only")
    yield server
    server.process.kill()


@pytest.fixture(scope="module")
def connection(java, server):
    address = server.location.removeprefix("grpc://")
    url = f"jdbc:arrow-flight-sql://{address}?useEncryption=false&schema=pbmc.h5ad"
    connection = java.JClass("java.sql.DriverManager").getConnection(url)
    yield connection
    # The driver reports the memory of a cancelled statement as leaked.
    with contextlib.suppress(java.JClass("java.sql.SQLException")):
        connection.close()


@pytest.fixture(scope="module")
def adata():
    return anndata.read_h5ad(PBMC)


def rows(results):
    """All rows, as dictionaries with values of Python."""
    about = results.getMetaData()
    names = [about.getColumnLabel(i + 1) for i in range(about.getColumnCount())]
    found = []
    while results.next():
        found.append({name: value(results.getObject(i + 1)) for i, name in enumerate(names)})
    results.close()
    return found


def value(one):
    """A boxed number or truth value as Python's."""
    kind = type(one).__name__
    if kind.endswith("Boolean"):
        return bool(one)
    if kind.endswith(("Integer", "Long")):
        return int(one)
    return float(one) if kind.endswith(("Float", "Double")) else one


def ask(connection, sql):
    statement = connection.createStatement()
    try:
        return rows(statement.executeQuery(sql))
    finally:
        statement.close()


def test_all_facts(connection):
    about = connection.getMetaData()
    assert about.getDatabaseProductName() == "annarrow"
    assert about.isReadOnly() and about.supportsFullOuterJoins() and about.supportsConvert() and about.supportsUnion()
    # No fact has another form than the driver expects.
    for method in about.getClass().getMethods():
        name = str(method.getName())
        if method.getParameterCount() == 0 and name.startswith(("supports", "stores", "nulls", "getMax", "get")):
            getattr(about, name)()


def test_lists(connection, adata):
    about = connection.getMetaData()
    assert rows(about.getCatalogs()) == []
    assert [row["TABLE_SCHEM"] for row in rows(about.getSchemas())] == ["pbmc.h5ad", "sub/pbmc.zarr.zip"]
    tables = [row["TABLE_NAME"] for row in rows(about.getTables(None, "pbmc.h5ad", "%", None))]
    assert {"X", "obs", "var", "layers/counts", "obsm/X_pca"} <= set(tables)
    assert [row["TABLE_NAME"] for row in rows(about.getTables(None, "sub/%", "ob_", None))] == ["obs"]
    columns = {row["COLUMN_NAME"]: row["TYPE_NAME"] for row in rows(about.getColumns(None, "pbmc.h5ad", "obs", "%"))}
    assert list(columns) == ["_index", *adata.obs.columns, "row"]
    assert (columns["cell_type"], columns["n_counts"], columns["pct_mt"]) == ("VARCHAR", "BIGINT", "FLOAT")
    assert [row["TABLE_TYPE"] for row in rows(about.getTableTypes())] == ["TABLE"]
    assert rows(about.getPrimaryKeys(None, "pbmc.h5ad", "obs")) == []


def test_values(connection, adata):
    found = ask(connection, "select * from obs order by row limit 500")
    expected = adata.obs[:500]
    assert [row["_index"] for row in found] == list(expected.index)
    assert [row["cell_type"] for row in found] == expected["cell_type"].astype(str).tolist()
    assert [row["is_doublet"] for row in found] == [None if pd.isna(one) else one for one in expected["is_doublet"]]
    assert np.array_equal(np.float32([row["pct_mt"] for row in found]), expected["pct_mt"])
    entries = adata.X.tocoo()
    first = ask(connection, "select * from X limit 500")
    assert [row["col"] for row in first] == entries.col[:500].tolist()
    assert np.array_equal(np.float32([row["value"] for row in first]), entries.data[:500])


def test_prepared(connection, adata):
    sql = "select _index from obs where n_genes > ? and cell_type = ? order by row limit ?"
    statement = connection.prepareStatement(sql)
    for least in [60, 100]:
        statement.setInt(1, least)
        statement.setString(2, "CD4 T cell")
        statement.setLong(3, 7)
        chosen = adata.obs[(adata.obs["n_genes"] > least) & (adata.obs["cell_type"] == "CD4 T cell")]
        assert [row["_index"] for row in rows(statement.executeQuery())] == list(chosen.index[:7])
    statement.close()


def test_two_datasets(connection, adata):
    sql = 'select count(*) as n from "pbmc.h5ad".obs a join "sub/pbmc.zarr.zip".obs b using (_index)'
    assert ask(connection, sql) == [{"n": adata.n_obs}]


def test_cancel(java, connection):
    statement = connection.createStatement()
    results = statement.executeQuery("select range as n from range(100000000)")
    assert results.next()
    timer = threading.Timer(0.5, statement.cancel)
    timer.start()
    # The driver throws one of two classes: it depends on whether it saw the cancellation or the end of its stream first.
    stream_ended = java.JClass("org.apache.arrow.driver.jdbc.shaded.org.apache.arrow.flight.FlightRuntimeException")
    with pytest.raises((java.JClass("java.sql.SQLException"), stream_ended), match="(?i)cancel"):
        while results.next():
            pass
    timer.join()
    statement.close()
    assert ask(connection, "select 1 as one") == [{"one": 1}]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("insert into obs values (1)", "INSERT is refused"),
        ("select nosuch from obs", 'column "nosuch" not found'),
        ("select * from nosuch", "nosuch does not exist"),
        ("select * from read_csv('/etc/passwd')", "disabled by configuration"),
    ],
)
def test_refused(java, connection, sql, message):
    with pytest.raises(java.JClass("java.sql.SQLException"), match=message):
        ask(connection, sql)
