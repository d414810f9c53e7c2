"""Makes an AnnData with elements of all kinds, and its values as text for R; --compare: what came back by way of R's file."""

import json
import sys
from pathlib import Path

import anndata as ad
import mudata
import numpy as np
import pandas as pd
import scipy.sparse as sp

folder = Path(sys.argv[1])


def make() -> ad.AnnData:
    rng = np.random.default_rng(3)
    n, g = 50, 30
    counts = sp.random(n, g, 0.3, format="csr", random_state=1)
    counts.data = np.ceil(counts.data * 5)
    x = counts.tocsc().astype(np.float32)
    x.data = np.log1p(x.data)
    obs = pd.DataFrame(
        {
            "factor": pd.Categorical(rng.choice(["b", "a", "ä"], n), categories=["b", "unused", "a", "ä"]),
            "ordered": pd.Categorical(rng.choice(["lo", "hi"], n), categories=["lo", "hi"], ordered=True),
            "integer": rng.integers(0, 9, n),
            "double": rng.normal(size=n),
            "flag": rng.random(n) < 0.5,
            "missing": pd.array([None if k % 7 == 0 else k for k in range(n)], dtype="Int64"),
            "maybe": pd.array([None if k % 7 == 0 else k % 2 == 0 for k in range(n)], dtype="boolean"),
            "large": rng.integers(2**40, 2**41, n),
            "text": [f"t{k}é" for k in range(n)],
        },
        index=[f"zelle_ü{k}" for k in range(n)],
    )
    obs.iloc[3, 0] = None
    var = pd.DataFrame({"mean": rng.normal(size=g)}, index=[f"G{k}" for k in range(g)])
    data = ad.AnnData(X=x, obs=obs, var=var, layers={"counts": counts})
    data.obsm["X_umap"] = rng.normal(size=(n, 2))
    data.obsm["X_pca"] = rng.normal(size=(n, 5)).astype("float32")
    data.varm["PCs"] = rng.normal(size=(g, 5))
    data.obsp["connectivities"] = sp.random(n, n, 0.1, format="csr", random_state=2)
    data.uns["title"] = "hello"
    data.uns["pca"] = {"variance": np.arange(5.0), "params": {"n": 3, "zero_center": True}}
    return data


def listed(values: pd.Series) -> list:
    return [None if pd.isna(one) else one for one in values.astype(object)]


if "--compare" in sys.argv:
    before, after = ad.read_h5ad(folder / "a.h5ad"), ad.read_h5ad(folder / "back.h5ad")
    checks = {
        "obs_names": list(before.obs_names) == list(after.obs_names),
        "var_names": list(before.var_names) == list(after.var_names),
        "X": abs(before.X - after.X).max() == 0,
        "counts": abs(before.layers["counts"] - after.layers["counts"]).max() == 0,
        "columns": list(before.obs.columns) == list(after.obs.columns),
        **{name: listed(before.obs[name]) == listed(after.obs[name]) for name in before.obs.columns},
        "levels": list(before.obs["factor"].cat.categories) == list(after.obs["factor"].cat.categories),
        **{f"obsm {name}": np.array_equal(before.obsm[name], after.obsm[name]) for name in before.obsm},
        "varm PCs": np.array_equal(before.varm["PCs"], after.varm["PCs"]),
        "obsp": abs(before.obsp["connectivities"] - after.obsp["connectivities"]).max() == 0,
        "uns": after.uns["title"] == "hello" and list(after.uns["pca"]["variance"]) == [0, 1, 2, 3, 4],
    }
    # Assays of different cells come back as modalities with their own; those that the object lacks there are NaN.
    before, after = mudata.read_h5mu(folder / "cells.h5mu"), mudata.read_h5mu(folder / "cells-back.h5mu")
    checks["cells of the whole"] = list(before.obs_names) == list(after.obs_names)
    for name, one in before.mod.items():
        other = after[name]
        checks |= {
            f"{name} cells": list(one.obs_names) == list(other.obs_names),
            f"{name} features": list(one.var_names) == list(other.var_names),
            f"{name} X": abs(one.X - other.X).max() == 0,
            f"{name} places": np.array_equal(before.obsmap[name], after.obsmap[name]),
            **{f"{name} {column}": listed(one.obs[column]) == listed(other.obs[column]) for column in one.obs.columns},
            **{f"{name} obsm {key}": np.array_equal(one.obsm[key], other.obsm[key]) for key in one.obsm},
            **{f"{name} obsp {key}": abs(one.obsp[key] - other.obsp[key]).max() == 0 for key in one.obsp},
        }
    for name, passed in checks.items():
        if not passed:
            print("FAILED back again:", name)
    failed = sum(not passed for passed in checks.values())
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(failed > 0)

data = make()
data.write_h5ad(folder / "a.h5ad")
smaller = data[:, :10].copy()
del smaller.varm["PCs"]
smaller.raw = data
smaller.write_h5ad(folder / "raw.h5ad")
# Modalities of different cells, of which the second one has some that the first lacks.
some = data[10:, :5].copy()
some.obs = some.obs[["double"]].rename(columns={"double": "score"})
for key in [*some.varm, *some.obsm, *some.obsp]:
    for mapping in (some.varm, some.obsm, some.obsp):
        if key in mapping:
            del mapping[key]
some.uns = {}
mudata.MuData({"rna": data[:40].copy(), "adt": some}).write_h5mu(folder / "cells.h5mu")
# Scaled values of some genes, in another order than var has.
scaled = ad.AnnData(X=data.X, obs=data.obs[["double"]], var=data.var)
scaled.obsm["scale.data"] = np.random.default_rng(4).normal(size=(data.n_obs, 3))
scaled.uns["scale.data.features"] = np.array(["G7", "G2", "G5"])
scaled.write_h5ad(folder / "scaled.h5ad")
values = {
    "scaled": scaled.obsm["scale.data"].tolist(),
    "cells": list(data.obs_names),
    "features": list(data.var_names),
    "X": data.X.toarray().astype(float).tolist(),
    "counts": data.layers["counts"].toarray().tolist(),
    "obs": {name: listed(data.obs[name]) for name in data.obs.columns},
    "umap": data.obsm["X_umap"].tolist(),
    "pca": data.obsm["X_pca"].astype(float).tolist(),
    "PCs": data.varm["PCs"].tolist(),
    "graph": data.obsp["connectivities"].toarray().tolist(),
}
(folder / "values.json").write_text(json.dumps(values))
