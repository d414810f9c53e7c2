"""The cases of anndata's own tests of concat: datasets with an element of every kind, of which one lacks an axis, X, an
element or names; elements that are equal up to NaN; what cannot be put together."""

import anndata as ad
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from test_concat import both, dataset, matrix, ours

AXES = pytest.mark.parametrize("axis", ["obs", "var"])
JOINS = pytest.mark.parametrize("join", ["inner", "outer"])
pytestmark = pytest.mark.filterwarnings("ignore")


def columns(rng, size):
    return pd.DataFrame(
        {
            "cat": pd.Categorical.from_codes(rng.integers(0, 4, size), list("wxyz")),
            "ordered": pd.Categorical.from_codes(rng.integers(0, 3, size), list("abc"), ordered=True),
            "int64": rng.integers(-50, 50, size),
            "float64": rng.random(size),
            "uint8": rng.integers(0, 255, size, dtype=np.uint8),
            "bool": rng.integers(0, 2, size).astype(bool),
            "nullable-bool": pd.array(rng.integers(0, 2, size).astype(bool), dtype="boolean"),
            "nullable-int": pd.array(rng.integers(0, 255, size), dtype="Int32"),
            "text": np.array([f"t{i}" for i in rng.integers(0, 9, size)], dtype=str).astype(object) if size else pd.array([], dtype=str),
        }
    )


def rich(seed, rows, genes, cells=""):
    """A dataset with an element of every kind along both axes."""
    rng = np.random.default_rng(seed)
    obs, var = columns(rng, rows), columns(rng, genes)
    obs.index = pd.Index([f"cell{cells}{i}" for i in range(rows)], dtype=str)
    var.index = pd.Index([f"gene{i}" for i in range(genes)], dtype=str)
    data = ad.AnnData(X=matrix(rng, rows, genes), obs=obs, var=var)
    for name, form in (("csr", "csr"), ("csc", "csc"), ("dense", "dense")):
        data.layers[name] = matrix(rng, rows, genes, np.float64, form)
    for axis, size, frame in (("obs", rows, obs), ("var", genes, var)):
        along, pairs = getattr(data, f"{axis}m"), getattr(data, f"{axis}p")
        along["array"] = rng.random((size, 5))
        along["sparse"] = matrix(rng, size, 5)
        along["df"] = frame[["cat", "float64", "int64"]]
        pairs["sparse"] = matrix(rng, size, size)
        pairs["array"] = rng.random((size, size))
    data.uns["n"] = seed
    return data


@AXES
@JOINS
@pytest.mark.parametrize("shape", [(8, 0), (0, 10)])
@pytest.mark.parametrize("merge", [None, "unique", "same"])
def test_an_axis_of_no_length(tmp_path, axis, join, shape, merge):
    options = {"axis": axis, "join": join, "pairwise": True, "index_unique": "-", "keys": ["a", "b"]}
    both(tmp_path, [rich(0, 5, 7), rich(1, *shape)], **options, **({} if merge is None else {"merge": merge}))


@AXES
@pytest.mark.parametrize("element", ["array", "sparse", "df"])
def test_an_element_that_one_dataset_lacks(tmp_path, axis, element):
    a, b = rich(0, 5, 5), rich(1, 3, 5)
    del getattr(b, f"{axis}m")[element]
    both(tmp_path, [a, b], axis=axis, join="outer", label="group")


@JOINS
def test_no_dataset_has_x(tmp_path, join):
    a, b = rich(0, 5, 4), rich(1, 3, 6)
    del a.X
    del b.X
    both(tmp_path, [a, b], join=join)


@AXES
@JOINS
def test_transposed(tmp_path, axis, join):
    """All elements, along either axis, with names of the other axis in another order."""
    a, b = rich(0, 6, 5), rich(1, 4, 7)
    b = b[::-1, ::-1].copy()
    both(tmp_path, [a, b], axis=axis, join=join, label="k", index_unique="_", pairwise=True, uns_merge="first")


@JOINS
@pytest.mark.parametrize("merge", ["same", "unique", "first", "only"])
def test_nan_equals_nan(tmp_path, join, merge):
    inputs = []
    for i in range(2):
        data = dataset(i, genes="abcd"[: 4 - i], var={"f": np.array([1, np.nan, 3, 4.0])[: 4 - i]})
        values = np.full((4 - i, 3), np.nan)
        values[:, 0] = 1
        data.varm["nan"] = values
        data.varm["sparse"] = sparse.csr_matrix(values)
        inputs.append(data)
    both(tmp_path, inputs, join=join, merge=merge)


@JOINS
def test_names_of_the_indexes(tmp_path, join):
    for names in (("i", "i"), ("i", "j"), (None, "i")):
        inputs = []
        for i, name in enumerate(names):
            data = dataset(i, genes="abc")
            data.obs.index.name = data.var.index.name = name
            inputs.append(data)
        both(tmp_path, inputs, join=join)


@pytest.mark.parametrize("third", [True, False])
def test_categories_of_some_datasets(tmp_path, third):
    inputs = []
    for i, codes in enumerate(("aabcc", "bccdd", "bccdd")[: 3 if third else 2]):
        obs = {"cat": pd.Categorical(list(codes)), "ordered": pd.Categorical(list(codes), ordered=True)}
        if i == 2:
            del obs["cat"]
        inputs.append(dataset(i, rows=5, obs=obs))
    both(tmp_path, inputs, join="outer")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_categories_beside_missing_values_alone(tmp_path, order):
    columns = [pd.Categorical(["b", "a", "b"]), pd.Categorical([np.nan] * 3)]
    both(tmp_path, [dataset(i, rows=3, obs={"cat": columns[i]}) for i in order])


def test_an_output_folder_that_is_not_there(tmp_path):
    done, path = ours(tmp_path, [dataset(0), dataset(1)], output="none/out.h5ad")
    assert done.returncode == 1
    assert str(path) in done.stderr or "none" in done.stderr, done.stderr
    assert not path.parent.exists()


def test_frames_and_matrices_do_not_mix(tmp_path):
    a, b = dataset(0), dataset(1)
    a.obsm["m"] = np.ones((6, 2))
    b.obsm["m"] = pd.DataFrame({"p": np.arange(6)}, index=b.obs_names)
    done, path = ours(tmp_path, [a, b])
    assert done.returncode == 1
    assert "in1.h5ad: obsm/m: it is a dataframe here, in " in done.stderr and "in0.h5ad" in done.stderr, done.stderr
    assert not path.exists()
