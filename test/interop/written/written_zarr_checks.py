"""What make_written_zarr.mjs wrote, checked with whichever zarr is installed: 2.18 or 3.

    python written_zarr_checks.py STORE...

checks stores and prints how many of them it was.
"""

import math
import sys
import warnings
from pathlib import Path

import numpy as np
import zarr

ZARR = int(zarr.__version__.split(".")[0])


def values(group, name):
    return group[name][()]


def same(found, expected, dtype=None):
    expected = np.asarray(expected, dtype=dtype)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    np.testing.assert_array_equal(found, expected)


def texts(found, expected):
    found = np.asarray(found)
    assert found.dtype.kind in "OT", found.dtype
    assert found.shape == np.shape(expected)
    assert [str(text) for text in found.ravel()] == [str(text) for text in np.asarray(expected, dtype=object).ravel()]


def check_attributes(attributes):
    assert attributes["text"] == 'é \0 \U0001f600 "quoted"'
    assert attributes["max"] == 2**63 - 1 and attributes["unsigned"] == 2**64 - 1
    assert attributes["small"] == [[1, -2], [3, -4]]
    assert attributes["float"] == [1, 0.1, 1e300] and all(type(value) is float for value in attributes["float"])
    nan, *infinite = attributes["special"]
    assert math.isnan(nan) and infinite == [math.inf, -math.inf]
    assert attributes["flags"] == [True, False] and attributes["texts"] == ["a", "", "c"]
    assert attributes["none"] is None and attributes["empty"] == []


def check_numbers(group):
    for name in ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float32", "float64"):
        same(values(group, name), np.arange(1000) % 120, name)
    same(values(group, "int64"), [-(2**63), 2**53 + 1, 5], "int64")
    same(values(group, "uint64"), [2**64 - 1, 7], "uint64")
    same(values(group, "float16"), [1, np.nan, -np.inf], "float16")
    special = values(group, "special")
    same(special, [np.nan, np.inf, -0.0, 5e-324])
    assert np.signbit(special[2])
    same(values(group, "bool"), [True, False, False, True, True])
    same(values(group, "complex64"), [1 + 2j, 3 - 1j], "complex64")
    same(values(group, "complex128"), [1 + 2j, complex(np.nan, -1)])
    same(values(group, "datetime"), np.array([0, 1, -(2**63)], "M8[ns]"))
    same(values(group, "days"), np.array([19000], "M8[D]"))
    same(values(group, "timedelta"), np.array([0, 4], "m8[25s]"))
    assert values(group, "scalar int") == 42 and values(group, "scalar zero") == 0
    same(np.asarray(values(group, "null")), False)
    assert dict(group["null"].attrs) == {"encoding-type": "null", "encoding-version": "0.1.0"}
    same(values(group, "zero"), [], "int32")
    same(values(group, "zero rows"), np.empty((0, 5)), "int32")
    same(values(group, "zero columns"), np.empty((5, 0)), "int32")
    same(values(group, "all zero"), np.zeros(1000), "float32")


def check_texts(group):
    texts(values(group, "strings"), ["", "x", "日本", "a\0b"])
    texts(values(group, "strings2"), [["a", "b"], ["c", "d"]])
    texts(values(group, "many strings"), ["" if i % 7 == 0 else f"s{i}" for i in range(70_001)])
    texts(values(group, "long strings"), ["é" * (100_000 + i) for i in range(40)])
    texts(values(group, "no strings"), [])
    texts(values(group, "all empty"), [""] * 1000)
    assert str(values(group, "scalar text")) == "hé" and str(values(group, "scalar empty")) == ""
    assert [bytes(value) for value in values(group, "bytes")] == [b"\x00\xff", b"", b"\x01"]
    same(values(group, "raw"), np.array([b"\1\2\3", b"\0\0\x09"], "V3"))
    same(values(group, "ascii"), np.array([b"ab", b"", b"abcd"], "S4"))
    same(values(group, "utf32"), np.array(["zé", "", "\U0001f600ab"], "U3"))


def check_records(group):
    fields = [("i", "<i4"), ("d", "<f8"), ("S", "S3"), ("ü", "<U3"), ("b", "?")]
    same(values(group, "record"), np.array([(1, 0.5, b"ab", "éa", True), (2, 1, b"xyz", "xyz", False)], fields))
    same(values(group, "byte record"), np.array([(1, -1), (2, -2)], [("a", "u1"), ("b", "i1")]))


def check_chunks(group):
    wave = np.arange(1_000_003) * 7
    for name in ("long", "open"):
        same(values(group, name), wave, "int32")
    same(group["long"][777_770:777_780], wave[777_770:777_780], "int32")
    same(values(group, "open small"), np.arange(10) * 7, "int32")
    same(values(group, "open empty"), [], "int32")
    same(values(group, "given"), np.arange(100) * 7, "int32")
    assert group["given"].chunks == (7,)
    same(values(group, "plain"), np.arange(100) * 7, "int32")
    same(values(group, "gaps"), np.where(np.arange(100) < 50, 0, np.arange(100)), "int32")
    matrix = np.arange(2700 * 501).reshape(2700, 501)
    same(values(group, "matrix"), matrix, "float32")
    same(values(group, "open matrix"), matrix, "float32")
    same(group["matrix"][1000:1010, 490:], matrix[1000:1010, 490:], "float32")
    same(values(group, "given matrix"), np.arange(220).reshape(20, 11), "float32")
    assert group["given matrix"].chunks == (6, 4)
    same(values(group, "cube"), np.arange(315).reshape(9, 7, 5), "int16")
    odd = group["odd names"]
    names = {"c", "0", "0.0", "p%20q", "h#q", "sp ace", "é", "__x", ".hid", "plus+&"}
    assert {name for name, _ in odd.arrays()} == names
    for name in names:
        assert list(odd[name][:]) == [len(name)], name


def guessed_chunks():
    """zarr's own choices for arrays whose chunks a reader would notice."""
    if ZARR == 2:
        from zarr.util import guess_chunks

        return lambda shape, size: tuple(guess_chunks(shape, size))
    from zarr.core.chunk_grids import _guess_regular_chunks

    return lambda shape, size: _guess_regular_chunks(shape, size)


def check_types(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for group in (zarr.open_consolidated(str(path), mode="r"), zarr.open_group(str(path), mode="r")):
            check_attributes(group.attrs)
            check_numbers(group)
            check_texts(group)
            check_records(group)
            check_chunks(group)
        if group["matrix"].metadata.zarr_format == 2 if ZARR == 3 else True:
            guess = guessed_chunks()
            for name in ("long", "matrix", "int8"):
                array = group[name]
                assert tuple(array.chunks) == guess(array.shape, array.dtype.itemsize), name


def check_anndata(path):
    import anndata as ad

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if str(path).endswith(".zip"):
            store = zarr.storage.ZipStore(str(path), mode="r") if ZARR == 3 else zarr.ZipStore(str(path), mode="r")
            data = ad.read_zarr(zarr.open_group(store, mode="r"))
        else:
            data = ad.read_zarr(str(path))
    assert data.shape == (5, 3)
    assert list(data.obs_names) == ["c0", "c1", "cé", "c3", "c4"] and list(data.var_names) == ["g0", "g1", "g2"]
    assert data.X.toarray().tolist() == [[1, 0, 2], [0, 3, 0], [0, 0, 0], [4, 0, 0], [0, 5, 6]]
    assert data.X.dtype == "float32" and data.X.indices.dtype == "int32"
    assert data.layers["dense"].ravel().tolist() == list(range(15)) and data.layers["empty"].nnz == 0
    obs = data.obs
    assert list(obs.columns) == ["ct", "n", "ni", "f2", "ok", "zero"]
    assert obs["ct"].tolist()[:2] == ["B", "T"] and obs["ct"].isna().tolist() == [False, False, True, False, False]
    assert list(obs["ct"].cat.categories) == ["B", "T"] and not obs["ct"].cat.ordered
    assert obs["ni"].isna().tolist() == [False, True, False, False, False] and obs["n"].tolist() == [1, 2, 3, 4, 5]
    assert obs["f2"].dtype == "float16" and obs["f2"].tolist() == [0.5, 1, 2, 3, 4]
    assert obs["ok"].tolist() == [True, False, True, False, True] and obs["zero"].tolist() == [0] * 5
    assert data.var["s"].tolist() == ["", "x", "日本"]
    assert data.obsm["none"].shape == (5, 0) and data.obsm["X_umap"][4, 1] == 4.5
    uns = data.uns
    assert uns["i"] == 42 and uns["b"] and uns["s"] == "hé" and uns["strs2"].tolist() == [["a", "b"], ["c", "d"]]
    assert uns["empty"].shape == (0,) and [tuple(row) for row in uns["rec"].tolist()] == [(1, "ab"), (2, "xyz")]
    assert uns["odd % # key"]["v"].tolist() == [7]


def check(path):
    (check_types if Path(path).name.startswith("types") else check_anndata)(path)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        check(path)
    print(zarr.__version__, len(sys.argv) - 1)
