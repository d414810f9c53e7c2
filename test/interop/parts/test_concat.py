"""`annarrow concat` beside `anndata.concat`: equal values, types, names and categories, but for the differences that
docs/parts.md lists: integers that a frame has not are null, where anndata makes floats of them.

The cases have the shapes of anndata's own tests of concat: joins, genes in other orders, sparse beside dense, columns and
layers that some inputs lack, categories that differ, merges, labels, empty inputs.
"""

import json
import subprocess
import warnings
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
FLAGS = {"index_unique": "index-unique", "uns_merge": "uns-merge", "fill_value": "fill-value", "missing_integers": "missing-integers"}

ad.settings.allow_write_nullable_strings = True
pytestmark = pytest.mark.filterwarnings("ignore")


def matrix(rng, rows, columns, dtype=np.float32, form="csr"):
    values = np.floor(rng.random((rows, columns)) * 20).astype(dtype)
    values[rng.random(values.shape) < 0.6] = 0
    if form == "dense":
        return values
    return sparse.csr_matrix(values) if form == "csr" else sparse.csc_matrix(values)


def dataset(seed, rows=6, genes="abcde", *, dtype=np.float32, form="csr", obs=None, var=None):
    rng = np.random.default_rng(seed)
    genes = list(genes)
    index = [f"cell{seed}_{i}" for i in range(rows)]
    frame = pd.DataFrame({"n": rng.integers(0, 9, rows)}, index=index)
    for name, values in (obs or {}).items():
        frame[name] = values(rng, rows) if callable(values) else values
    columns = pd.DataFrame(index=pd.Index(genes, dtype=str))
    for name, values in (var or {}).items():
        columns[name] = values(rng, len(genes)) if callable(values) else values
    return ad.AnnData(X=matrix(rng, rows, len(genes), dtype, form), obs=frame, var=columns)


def ours(tmp_path, inputs, output="out.h5ad", **options):
    files = []
    for i, data in enumerate(inputs):
        file = tmp_path / f"in{i}.h5ad"
        data.write_h5ad(file)
        files.append(str(file))
    flags = []
    for name, value in options.items():
        flag = f"--{FLAGS.get(name, name)}"
        if isinstance(value, bool):
            flags += [flag] if value else []
        else:
            flags += [flag, ",".join(value) if isinstance(value, list) else str(value)]
    done = subprocess.run(
        [*CLI, "concat", *files, "-o", str(tmp_path / output), "--anndata", "0.13", "--overwrite", *flags],
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done, tmp_path / output


def both(tmp_path, inputs, **options):
    done, path = ours(tmp_path, inputs, **options)
    assert done.returncode == 0, done.stderr
    # Without --keys the command line keys its inputs by the names of their files, anndata by their positions.
    options.setdefault("keys", [f"in{i}" for i in range(len(inputs))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ad.concat([ad.read_h5ad(tmp_path / f"in{i}.h5ad") for i in range(len(inputs))], **options)
    result = ad.read_h5ad(path)
    same_dataset(result, expected)
    return result, done.stderr


def same_dataset(mine, theirs):
    assert mine.shape == theirs.shape
    same_frame(mine.obs, theirs.obs)
    same_frame(mine.var, theirs.var)
    for group in ("layers", "obsm", "varm", "obsp", "varp"):
        own, other = getattr(mine, group), getattr(theirs, group)
        assert set(own) == set(other), group
        for name in other:
            same_values(own[name], other[name], f"{group}/{name}")
    same_values(mine.X, theirs.X, "X")
    same_mapping(mine.uns, theirs.uns, "uns")
    assert (mine.raw is None) == (theirs.raw is None)
    if mine.raw is not None:
        same_values(mine.raw.X, theirs.raw.X, "raw/X")
        same_frame(mine.raw.var, theirs.raw.var)


def same_mapping(mine, theirs, where):
    assert set(mine) == set(theirs), where
    for name, value in theirs.items():
        if isinstance(value, dict):
            same_mapping(mine[name], value, f"{where}/{name}")
        else:
            same_values(mine[name], value, f"{where}/{name}")


def same_values(mine, theirs, where):
    if theirs is None or isinstance(theirs, (str, bytes)):
        assert (mine is None) if theirs is None else mine == theirs, where
    elif isinstance(theirs, pd.DataFrame):
        same_frame(mine, theirs)
    elif sparse.issparse(theirs):
        assert sparse.issparse(mine), where
        assert mine.dtype == theirs.dtype, f"{where}: {mine.dtype}, not {theirs.dtype}"
        assert mine.format == theirs.format, where
        assert mine.has_sorted_indices or not mine.has_sorted_indices  # both orders are legal
        np.testing.assert_array_equal(mine.toarray(), theirs.toarray(), where)
    else:
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        if theirs.dtype.kind in "biufc":
            assert mine.dtype == theirs.dtype, f"{where}: {mine.dtype}, not {theirs.dtype}"
        np.testing.assert_array_equal(mine, theirs, where)


def same_frame(mine, theirs):
    assert list(mine.index) == list(theirs.index)
    assert mine.index.name == theirs.index.name
    assert list(mine.columns) == list(theirs.columns)
    for name in theirs.columns:
        own, other = mine[name], theirs[name]
        if isinstance(other.dtype, pd.CategoricalDtype):
            assert isinstance(own.dtype, pd.CategoricalDtype), name
            assert list(own.cat.categories) == list(other.cat.categories), name
            assert own.cat.ordered == other.cat.ordered, name
            assert list(own.cat.codes) == list(other.cat.codes), name
            continue
        missing = np.asarray(own.isna())
        assert list(missing) == list(other.isna()), name
        if own.dtype == other.dtype or not missing.any():
            assert own.dtype == other.dtype or {own.dtype.kind, other.dtype.kind} <= set("OTU"), (name, own.dtype, other.dtype)
        # Where a frame has no integers, ours are null and anndata's are floats with NaN.
        assert list(own[~missing]) == list(other[~missing]), name


JOINS = pytest.mark.parametrize("join", ["inner", "outer"])


@JOINS
@pytest.mark.parametrize("genes", [("abcde", "abcde"), ("abcde", "edcba"), ("abcd", "dcxy"), ("dcba", "zyxw"), ("ba", "ab", "cab")])
def test_genes(tmp_path, join, genes):
    both(tmp_path, [dataset(i, genes=own) for i, own in enumerate(genes)], join=join)


@JOINS
@pytest.mark.parametrize("forms", [("csr", "csc"), ("csc", "csc"), ("csr", "dense"), ("dense", "dense"), ("csc", "dense")])
def test_forms(tmp_path, join, forms):
    both(tmp_path, [dataset(i, genes=("abcd", "cbxa")[i], form=form) for i, form in enumerate(forms)], join=join)


@JOINS
@pytest.mark.parametrize("genes, fill", [(("abcd", "abcd", "abcd"), None), (("abcd", "dbca", "bcda"), None), (("abcd", "cbxa", "ydb"), 2)])
@pytest.mark.parametrize("forms", [("dense", "csr", "csc"), ("csr", "dense", "csr"), ("csc", "csr", "dense")])
def test_missing_values_of_a_dense_matrix_beside_sparse_ones(tmp_path, join, genes, fill, forms):
    """NaN becomes an entry of the sparse result."""
    inputs = [dataset(i, genes=own, form=form) for i, (own, form) in enumerate(zip(genes, forms))]
    for data in inputs:
        if sparse.issparse(data.X):
            continue
        data.X[::2, 1], data.X[1, :], data.X[2, 0] = np.nan, np.nan, -0.0
        data.layers["only"] = data.X
    for data in inputs:
        data.obsm["m"] = data.X.copy()
    both(tmp_path, inputs, join=join, **({} if fill is None else {"fill_value": fill}))


TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


@pytest.mark.parametrize("form", ["csr", "dense"])
@pytest.mark.parametrize("first", TYPES)
@pytest.mark.parametrize("seconds", [TYPES[:4], TYPES[4:8], TYPES[8:]])
def test_types(tmp_path, form, first, seconds):
    """The layers of two datasets have each pair of types."""
    a, b = dataset(0, form=form), dataset(1, form=form)
    for second in seconds:
        a.layers[second] = matrix(np.random.default_rng(2), 6, 5, first, form)
        b.layers[second] = matrix(np.random.default_rng(3), 6, 5, second, form)
    both(tmp_path, [a, b])


COLUMNS = {
    "categories": (pd.Categorical(["y10", "y9", "x", "x", None, "y9"]), pd.Categorical(["z", "y2", "y9", "x", "x", "x"])),
    "equal categories": (pd.Categorical(list("baabba"), categories=["b", "a"]), pd.Categorical(list("aaabbb"), categories=["b", "a"])),
    "ordered": (pd.Categorical(list("baabba"), categories=["b", "a"], ordered=True), pd.Categorical(list("aaabbb"), categories=["b", "a"], ordered=True)),
    "ordered, others": (pd.Categorical(list("baabba"), categories=["b", "a"], ordered=True), pd.Categorical(list("aaabbb"), categories=["a", "b"], ordered=True)),
    "ordered, some": (pd.Categorical(list("baabba"), ordered=True), pd.Categorical(list("aaabbb"))),
    "unused": (pd.Categorical(list("baabba"), categories=list("abq")), pd.Categorical(list("cccccc"), categories=list("cd"))),
    "numbers as categories": (pd.Categorical([3, 1, 1, 3, 10, 1]), pd.Categorical([2, 2, 10, 10, 2, 2])),
    "categories and text": (pd.Categorical(list("baabba")), list("xyzxyz")),
    "no categories": (pd.Categorical([None] * 6, categories=pd.Index([], dtype=str)), pd.Categorical(list("baabba"))),
    "int and float": (np.arange(6, dtype=np.int32), np.arange(6, dtype=np.float32) / 2),
    "int8 and uint8": (np.arange(6, dtype=np.int8), np.arange(6, dtype=np.uint8)),
    "bool": (np.array([True, False] * 3), np.array([True] * 6)),
    "nullable": (pd.array([1, None, 3, 4, None, 6], dtype="Int64"), pd.array([1, 2, 3, 4, 5, 6], dtype="Int32")),
    "nullable and int": (pd.array([1, None, 3, 4, None, 6], dtype="Int64"), np.arange(6)),
    "nullable bool": (pd.array([True, None] * 3, dtype="boolean"), np.array([True] * 6)),
    "text": (list("abcdef"), ["", "é", "\U0001f600", "a b", "x", "y"]),
}


@JOINS
@pytest.mark.parametrize("kind", COLUMNS)
def test_columns(tmp_path, join, kind):
    one, two = COLUMNS[kind]
    both(tmp_path, [dataset(0, obs={"c": one}), dataset(1, obs={"c": two})], join=join)


@JOINS
@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_some(tmp_path, join, kind):
    one, _ = COLUMNS[kind]
    both(tmp_path, [dataset(0, obs={"c": one}), dataset(1), dataset(2, obs={"d": one})], join=join)


def test_columns_that_do_not_fit(tmp_path):
    done, path = ours(tmp_path, [dataset(0, obs={"c": [True] * 6}), dataset(1, obs={"c": list("abcdef")})])
    assert done.returncode == 1
    assert not path.exists()
    for part in ("in0.h5ad", "in1.h5ad", "obs", '"c"', "Bool", "Utf8"):
        assert part in done.stderr, done.stderr


@JOINS
def test_label_and_keys(tmp_path, join):
    inputs = [dataset(0), dataset(1, genes="abx"), dataset(2, rows=0)]
    both(tmp_path, inputs, join=join, label="batch")
    both(tmp_path, inputs, join=join, label="batch", keys=["one", "b", "a"], index_unique="-")
    both(tmp_path, inputs, join=join, label="n", index_unique="_")


@JOINS
def test_layers_and_obsm_of_some(tmp_path, join):
    a, b, c = dataset(0), dataset(1, genes="xabc"), dataset(2, genes="cba")
    for i, data in enumerate((a, b, c)):
        data.layers["all"] = data.X.astype(np.int32)
        data.obsm["all"] = np.random.default_rng(i).random((6, 2 + i))
        data.obsm["single"] = np.random.default_rng(i).random((6, 3)).astype(np.float32)
        data.obsm["sparse"] = matrix(np.random.default_rng(i), 6, 2 + i)
        data.obsm["deep"] = np.random.default_rng(i).random((6, 2, 3))
        data.obsm["frame"] = pd.DataFrame({"p": range(6), f"own{i}": np.arange(6) / 2}, index=data.obs_names)
    b.layers["one"] = b.X * 2
    c.obsm["one"] = np.random.default_rng(5).random((6, 2))
    c.obsm["one frame"] = pd.DataFrame({"p": np.arange(6) / 2}, index=c.obs_names)
    a.obsm["one sparse"] = matrix(np.random.default_rng(5), 6, 2)
    both(tmp_path, [a, b, c], join=join, index_unique="-")


@JOINS
def test_no_x(tmp_path, join):
    a, b = dataset(0), dataset(1)
    del a.X
    both(tmp_path, [a, b], join=join)


@JOINS
def test_empty(tmp_path, join):
    both(tmp_path, [dataset(0, rows=0), dataset(1), dataset(2, rows=0, genes="xy")], join=join)
    both(tmp_path, [dataset(0, genes=""), dataset(1)], join=join)


def test_one(tmp_path):
    both(tmp_path, [dataset(0, obs={"c": COLUMNS["categories"][0]})], label="k")


@pytest.mark.parametrize("fill", [0, 3, 1.5])
@pytest.mark.parametrize("dtype", ["int32", "float32", "bool"])
def test_fill_value(tmp_path, fill, dtype):
    a, b = dataset(0, genes="abc", dtype=dtype, form="dense"), dataset(1, genes="bx", dtype=dtype, form="dense")
    a.layers["some"] = a.X
    both(tmp_path, [a, b], join="outer", fill_value=fill)


@pytest.mark.parametrize("fill", [3, -2.5, "nan"])
@pytest.mark.parametrize("dtype, forms", [("uint8", ("csr", "csr")), ("float32", ("csr", "csc")), ("uint64", ("csc", "csc")), ("bool", ("dense", "csr")), ("float64", ("csc", "dense"))])
def test_fill_value_of_sparse_matrices(tmp_path, fill, dtype, forms):
    """As in anndata, positions that a sparse matrix lacks become entries."""
    options = {"join": "outer", "fill_value": float(fill) if isinstance(fill, str) else fill}
    inputs = [dataset(i, genes=("abcf", "fbxa", "yz")[i], dtype=dtype, form=form) for i, form in enumerate((*forms, "csr"))]
    inputs[0].layers["some"] = inputs[0].X.astype(np.float32)
    inputs[1].obsm["sparse"] = matrix(np.random.default_rng(4), 6, 3)
    inputs[2].obsm["sparse"] = matrix(np.random.default_rng(5), 6, 2, form="csc")
    result, _ = both(tmp_path, inputs, **options)
    assert sparse.issparse(result.X)
    cells = [f"cell{i}" for i in range(8)]
    for data, own in zip(inputs, (cells[:6], cells[2:], cells[1:7])):
        data.obs_names, data.var_names = own, [f"{data.obs.n.iloc[0]}{name}" for name in data.var_names]
        data.obsm.clear()
    both(tmp_path, inputs, axis="var", **options)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64", "bool"])
def test_integers_without_a_fill_value(tmp_path, dtype):
    """They become floats, with NaN where a dataset lacks a gene."""
    a, b = dataset(0, genes="abc", dtype=dtype, form="dense"), dataset(1, genes="bx", dtype=dtype, form="dense")
    a.layers["some"] = a.X
    a.obsm["some"], b.obsm["some"] = a.X, b.X
    result, _ = both(tmp_path, [a, b], join="outer")
    assert result.X.dtype == np.float64 and np.isnan(result.X).any()


@JOINS
def test_pairwise(tmp_path, join):
    inputs = [dataset(i, rows=4 + i) for i in range(3)]
    for i, data in enumerate(inputs):
        data.obsp["all"] = matrix(np.random.default_rng(i), 4 + i, 4 + i)
        data.obsp["dense"] = matrix(np.random.default_rng(i), 4 + i, 4 + i, form="dense")
    inputs[1].obsp["csc"] = matrix(np.random.default_rng(9), 5, 5, np.int32, form="csc")
    both(tmp_path, inputs, join=join, pairwise=True)


@JOINS
def test_raw(tmp_path, join):
    wide = [dataset(i, genes="abcdef") for i in range(2)]
    inputs = []
    for i, data in enumerate(wide):
        part = data[:, list(("abc", "cbd")[i])].copy()
        part.raw = data
        inputs.append(part)
    both(tmp_path, inputs, join=join)
    inputs[0].raw = None
    _, stderr = both(tmp_path, inputs, join=join)
    assert "raw: left out" in stderr


MERGES = pytest.mark.parametrize("merge", ["same", "unique", "first", "only"])


@JOINS
@MERGES
def test_merge(tmp_path, join, merge):
    equal = {"len": np.arange(5), "text": list("vwxyz"), "cat": pd.Categorical(list("qqrrs")), "score": np.arange(5) / 2}
    inputs = [dataset(i, genes=genes, var=equal) for i, genes in enumerate(("abcde", "abcde", "edcba"))]
    inputs[1].var["score"] += 1
    inputs[2].var["third"] = list("01234")
    inputs[0].var["flag"] = [True, False, True, True, False]
    for i, data in enumerate(inputs):
        data.varm["same"] = np.arange(10).reshape(5, 2) / 2
        data.varm["other"] = np.full((5, 2), float(i))
        data.varm["sparse"] = sparse.csr_matrix(np.eye(5, 3))
        data.varp["pair"] = sparse.csr_matrix(np.eye(5) * (i + 1))
        data.varp["dense"] = np.ones((5, 5))
    inputs[1].varm["one"] = np.ones((5, 3), dtype=np.float32)
    both(tmp_path, inputs, join=join, merge=merge)
    both(tmp_path, inputs[:2], join=join, merge=merge)
    shifted = [inputs[0], dataset(5, genes="cdexy", var=equal)]
    shifted[1].varm["same"] = np.arange(10).reshape(5, 2) / 2
    shifted[1].varm["other"] = np.arange(5, dtype=np.float32).reshape(5, 1)
    both(tmp_path, shifted, join=join, merge=merge)


@MERGES
def test_uns_merge(tmp_path, merge):
    a, b, c = dataset(0), dataset(1), dataset(2)
    a.uns = {"a": 1, "b": 2, "c": {"c.a": 3, "c.b": 4}, "t": "x", "arr": np.arange(3), "f": pd.DataFrame({"p": [1, 2]}, index=["r", "s"])}
    b.uns = {"a": 1, "b": 3, "c": {"c.b": 4}, "t": "x", "arr": np.arange(3), "f": pd.DataFrame({"p": [1, 2]}, index=["r", "s"])}
    c.uns = {"a": 1, "b": 4, "c": {"c.a": 3, "c.b": 4, "c.c": 5}, "t": "y", "arr": np.arange(4), "deep": {"x": {"y": np.eye(2)}}}
    # Scalars of different types are equal where their numbers are; NaN equals nothing.
    for data, one, half in ((a, 1, 0.5), (b, 1.0, np.float32(0.5)), (c, True, np.float16(0.5))):
        data.uns |= {"one": one, "half": half, "other": float(one) + data.uns["b"] / 2, "nan": np.nan}
    both(tmp_path, [a, b, c], uns_merge=merge)
    both(tmp_path, [a, b], uns_merge=merge)


@JOINS
@pytest.mark.parametrize("forms", [("csr", "csr"), ("csc", "csr"), ("dense", "csr"), ("csc", "csc"), ("dense", "dense")])
def test_along_var(tmp_path, join, forms):
    """Cells that are shared, in other orders; genes of each."""
    names = (["c0", "c1", "c2", "c3", "c4", "c5"], ["c4", "c9", "c1", "c0", "c8", "c3"])
    inputs = []
    for i, form in enumerate(forms):
        data = dataset(i, genes=[f"g{i}_{k}" for k in range(4 + i)], form=form, var={"len": np.arange(4 + i), "c": pd.Categorical(["x", "y", "x", "z", "y"][: 4 + i])})
        data.obs_names = names[i]
        data.varm["load"] = np.random.default_rng(i).random((4 + i, 2))
        data.varp["pair"] = matrix(np.random.default_rng(i), 4 + i, 4 + i)
        data.layers["l"] = data.X
        inputs.append(data)
    both(tmp_path, inputs, join=join, axis="var", label="file", pairwise=True)
    inputs[1].obs_names = inputs[0].obs_names
    both(tmp_path, inputs, join=join, axis="var", merge="first", index_unique="-")


def test_names_that_repeat(tmp_path):
    a = dataset(0, genes="aab")
    done, path = ours(tmp_path, [a, dataset(1, genes="abc")])
    assert done.returncode == 1
    assert '"a"' in done.stderr and "in0.h5ad" in done.stderr and "var" in done.stderr, done.stderr
    assert not path.exists()


def test_integers_that_floats_round(tmp_path):
    a, b = dataset(0), dataset(1)
    a.obs["big"] = np.array([2**53 + 1] * 6)
    b.obs["big"] = np.arange(6) / 2
    done, _ = ours(tmp_path, [a, b])
    assert done.returncode == 1 and "9007199254740993" in done.stderr, done.stderr
    done, _ = ours(tmp_path, [a, b], lossy=True)
    assert done.returncode == 0, done.stderr


def test_many(tmp_path):
    """More inputs than a process may have open."""
    for i in range(220):
        dataset(i, rows=2, genes="abc" if i % 2 else "cbd").write_h5ad(tmp_path / f"{i}.h5ad")
    files = [str(tmp_path / f"{i}.h5ad") for i in range(220)]
    (tmp_path / "list.txt").write_text("\n".join(files) + "\n")
    command = " ".join([*CLI, "concat", "--inputs", str(tmp_path / "list.txt"), "-o", str(tmp_path / "all.h5ad")])
    done = subprocess.run(["bash", "-c", f"ulimit -n 200; {command}"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    same_dataset(ad.read_h5ad(tmp_path / "all.h5ad"), ad.concat([ad.read_h5ad(file) for file in files]))
