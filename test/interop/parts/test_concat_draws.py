"""`annarrow concat` beside `anndata.concat` over random draws: matrices and columns of all types of numbers, of which some
datasets lack genes, columns or layers. With `--missing-integers float` the types are anndata's, too. Where anndata makes
objects of numbers, which it cannot write, ours is an error that names `--lossy`."""

import anndata as ad
import numpy as np
import pandas as pd
import pytest
from test_concat import TYPES, dataset, matrix, ours, same_values

pytestmark = pytest.mark.filterwarnings("ignore")

NULLABLE = ["Int64", "Int32", "UInt8", "boolean"]


def column(rng, rows, kind):
    if kind in NULLABLE:
        values = pd.array(rng.integers(0, 2, rows), dtype="Int64").astype(kind)
        values[rng.integers(rows)] = pd.NA
        return values
    if kind == "text":
        return [f"t{i}" for i in rng.integers(0, 3, rows)]
    if kind == "category":
        return pd.Categorical([f"t{i}" for i in rng.integers(0, 3, rows)])
    return rng.integers(0, 2, rows).astype(kind)


def drawn(rng, seed):
    genes = [gene for gene in "abcd" if rng.random() < 0.7] or ["a"]
    form = rng.choice(["dense", "dense", "csr"])
    data = dataset(seed, rows=4, genes=genes, dtype=rng.choice(TYPES), form=form)
    for name in "pqrs":
        if rng.random() < 0.75:
            # Each name has few types, so that many pairs have one together.
            few = np.random.default_rng(ord(name) + 100 * (seed // 10)).choice([*TYPES, *NULLABLE, "text", "category"], 2)
            data.obs[name] = column(rng, 4, rng.choice(few))
    for name in ("one", "two"):
        if rng.random() < 0.7:
            data.layers[name] = matrix(rng, 4, len(genes), rng.choice(TYPES), "dense")
    data.obs_names = [f"cell{seed}-{i}" for i in range(4)]
    return data


def is_mixed(values):
    """Whether pandas has objects that are neither text nor missing."""
    return values.dtype == object and not values.dropna().map(lambda one: isinstance(one, str)).all()


def same_columns(mine, theirs, names):
    for name in names:
        own, other = mine[name], theirs[name]
        if isinstance(other.dtype, pd.CategoricalDtype):
            assert own.astype(str).tolist() == other.astype(str).tolist(), name
            continue
        missing = np.asarray(other.isna())
        assert list(own.isna()) == list(missing), name
        assert list(own[~missing]) == list(other[~missing]), name
        kind = str(other.dtype).lower() if str(other.dtype).startswith("Float") else str(other.dtype)
        if pd.api.types.is_numeric_dtype(other.dtype):
            assert str(own.dtype) == kind, (name, own.dtype, other.dtype)


@pytest.mark.parametrize("seed", range(10))
def test_outer_joins(tmp_path, seed):
    rng = np.random.default_rng(seed)
    inputs = [drawn(rng, 10 * seed + i) for i in range(3)]
    expected = ad.concat(inputs, join="outer", keys=["in0", "in1", "in2"])
    names = list(expected.obs.columns)
    mixed = [name for name in names if is_mixed(expected.obs[name])]
    options = {"join": "outer", "missing_integers": "float"}
    done, path = ours(tmp_path, inputs, **options)
    # Nullable floats have no form in anndata either: ours are floats with NaN.
    if mixed or any(str(expected.obs[name].dtype).startswith("Float") for name in names):
        assert done.returncode == 1 and "--lossy" in done.stderr, done.stderr
        done, path = ours(tmp_path, inputs, lossy=True, **options)
    assert done.returncode == 0, done.stderr
    result = ad.read_h5ad(path)
    assert set(names) - set(result.obs.columns) <= set(mixed)
    same_columns(result.obs, expected.obs, [name for name in names if name not in mixed])
    assert list(result.var_names) == list(expected.var_names)
    for where, mine, theirs in [("X", result.X, expected.X), *((name, result.layers[name], value) for name, value in expected.layers.items())]:
        same_values(mine, theirs, where)
