"""Files that loompy writes: what we export of them is what loompy has in them."""

from loompy_here import VERSIONS, annarrow, tables  # isort: skip  (skips where there is no loompy)

import loompy
import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from loom_files import Given, given, made

SEEDS = range(24)


def stored(values: np.ndarray) -> np.ndarray:
    """loompy writes booleans as bytes of 0 and 1."""
    return values.astype("u1") if values.dtype == bool else values


def array(column: pa.ChunkedArray) -> np.ndarray:
    """A column of numbers, lists of numbers or text."""
    whole, shape = pa.concat_arrays(column.chunks), []
    while pa.types.is_fixed_size_list(whole.type):
        shape.append(whole.type.list_size)
        whole = whole.flatten()
    assert whole.null_count == 0
    flat = np.array(whole.to_pylist(), object) if pa.types.is_string(whole.type) else whole.to_numpy()
    return flat.reshape(len(column), *shape)


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    """Bit for bit, but for the kinds of NaN."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(found, wanted)
    if wanted.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(wanted[wanted == 0]))


def same_graph(found: pa.Table, wanted: sp.coo_matrix) -> None:
    same(array(found["row"]), wanted.row.astype("i4"))
    same(array(found["col"]), wanted.col.astype("i4"))
    same(array(found["value"]), wanted.data)


def check(found: dict[str, pa.Table], wanted: Given) -> None:
    layers = {f"layers/{name}" if name else "matrix": values for name, values in wanted.layers.items()}
    for name, values in layers.items():
        same(array(found[name]["value"]), values)
    for name, attributes in (("row_attrs", wanted.rows), ("col_attrs", wanted.cols)):
        assert set(found[name].column_names) == set(attributes)
        for column, values in attributes.items():
            same(array(found[name][column]), stored(values))
    for name, graphs in (("row_graphs", wanted.row_graphs), ("col_graphs", wanted.col_graphs)):
        assert {one for one in found if one.startswith(f"{name}/")} == {f"{name}/{one}" for one in graphs}
        for graph, values in graphs.items():
            same_graph(found[f"{name}/{graph}"], values)


@pytest.mark.parametrize("seed", SEEDS)
def test_we_read_random_files(tmp_path, seed):
    wanted = given(seed)
    found = tables(made(tmp_path / "random.loom", wanted), tmp_path / "tables")
    check(found, wanted)
    for name, value in wanted.globals.items():
        one = array(found[f"attrs/{name}"]["value"])
        np.testing.assert_array_equal(one if isinstance(value, np.ndarray) else one[0], value)


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_we_read_what_loompy_reads(tmp_path, seed):
    """By loompy's own names: its matrix, attributes and graphs as it gives them."""
    path = made(tmp_path / "random.loom", given(seed))
    found = tables(path, tmp_path / "tables")
    with loompy.connect(str(path), "r") as ds:
        for name in ds.layers.keys():
            same(array(found[f"layers/{name}" if name else "matrix"]["value"]), ds.layers[name][:, :])
        for table, attributes in (("row_attrs", ds.ra), ("col_attrs", ds.ca)):
            for name in attributes.keys():
                values = attributes[name]
                if values.dtype.kind != "O" or all(text.isascii() for text in array(found[table][name])):
                    same(array(found[table][name]), values)
        for table, graphs in (("row_graphs", ds.row_graphs), ("col_graphs", ds.col_graphs)):
            for name in graphs.keys():
                same_graph(found[f"{table}/{name}"], graphs[name])


@pytest.mark.parametrize("parts", [(5,), (64, 1), (3, 70, 1, 64), (130, 130)])
def test_we_read_files_that_grew(tmp_path, parts):
    rng = np.random.default_rng(sum(parts))
    path, genes = tmp_path / "grown.loom", np.array([f"g{i}" for i in range(70)], object)
    blocks = [np.where(rng.random((70, count)) < 0.2, rng.random((70, count)), 0) for count in parts]
    names = [np.array([f"{i}:{j}" for j in range(count)], object) for i, count in enumerate(parts)]
    with loompy.new(str(path)) as ds:
        for block, cells in zip(blocks, names):
            ds.add_columns(block, {"CellID": cells}, row_attrs={"Gene": genes})
    check(tables(path, tmp_path / "tables"), Given({"": np.hstack(blocks)}, {"Gene": genes}, {"CellID": np.hstack(names)}))


def test_we_read_sparse_input(tmp_path):
    wanted = sp.random(400, 300, 0.05, "coo", "f4", np.random.default_rng(1))
    path = tmp_path / "sparse.loom"
    loompy.create(str(path), wanted, {"Gene": np.arange(400)}, {"CellID": np.arange(300)})
    annarrow("convert", path, tmp_path / "matrix.arrow", "--table", "matrix", "--layout", "coordinate")
    found = pa.ipc.open_file(tmp_path / "matrix.arrow").read_all()
    dense = np.zeros(wanted.shape, "f4")
    dense[array(found["row"]), array(found["col"])] = array(found["value"])
    same(dense, wanted.toarray())
    assert found.num_rows == wanted.nnz


def test_we_read_a_file_of_the_older_specification(tmp_path):
    """What loompy 2 wrote: fixed text with character references, globals on the root."""
    import h5py

    path = tmp_path / "old.loom"
    words = np.array(["T cell", "naïve", "日本語"], object)
    with h5py.File(path, "w") as f:
        f["matrix"] = np.arange(6.0).reshape(2, 3)
        f["row_attrs/Gene"] = loompy.normalize_attr_values(np.array(["a", "b"], object), False)
        f["col_attrs/CellID"] = loompy.normalize_attr_values(words, False)
        for group in ("layers", "row_graphs", "col_graphs"):
            f.create_group(group)
        f.attrs["LOOM_SPEC_VERSION"] = VERSIONS[1]
        f.attrs["title"] = np.bytes_("na&#239;ve")
    found = tables(path, tmp_path / "tables")
    same(array(found["col_attrs"]["CellID"]), words)
    assert found["attrs/title"]["value"].to_pylist() == ["naïve"]
