#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = [
#   "anndata==0.13.4", "h5py==3.16.0", "numpy==2.5.5", "pandas==3.1.1", "scipy==1.18.1", "zarr==3.4.2",
# ]
# ///
"""Simulates a single-cell experiment of peripheral blood: 2,700 cells x 800 genes, eight cell types.

Writes beside itself
  pbmc.h5ad            the experiment
  pbmc.zarr.zip        the same without graphs and PCA, as a Zarr v3 store with consolidated metadata
  pbmc.expected.json   answers to the questions that the tests ask, computed here with pandas and scipy

Counts are negative binomial around a mean that depends on the cell type; the marker genes carry the names that they
have in human blood, all other genes are called SIM0001 and so on. The embedding is drawn, not fitted.
"""

import json
import tempfile
import zipfile
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.spatial import cKDTree

HERE = Path(__file__).resolve().parent
SEED = 20240229
CELLS, GENES, COMPONENTS, NEIGHBOURS = 2700, 800, 20, 8

# name: (share of the cells, colour, centre of the embedding, marker genes)
CELL_TYPES = {
    "CD4 T cell": (0.40, "#1f77b4", (6.5, 3.0), ["CD3D", "CD3E", "IL7R", "LTB", "LDHB", "TCF7", "CCR7"]),
    "CD8 T cell": (0.12, "#aec7e8", (3.5, 6.0), ["CD3D", "CD3E", "CD8A", "CD8B", "CCL5", "GZMK"]),
    "B cell": (0.13, "#ff7f0e", (-3.0, 10.5), ["MS4A1", "CD79A", "CD79B", "BANK1", "HLA-DRA", "CD74"]),
    "NK cell": (0.06, "#2ca02c", (0.5, 1.5), ["NKG7", "GNLY", "KLRD1", "PRF1", "GZMB", "CCL5", "FCGR3A"]),
    "CD14+ monocyte": (0.18, "#d62728", (-7.5, -2.0), ["LYZ", "CD14", "S100A8", "S100A9", "FCN1", "CST3"]),
    "FCGR3A+ monocyte": (0.06, "#9467bd", (-9.0, 2.0), ["LYZ", "FCGR3A", "MS4A7", "LST1", "CST3", "AIF1"]),
    "Dendritic cell": (0.035, "#8c564b", (-4.5, -5.5), ["FCER1A", "CLEC10A", "CST3", "HLA-DRA", "CD74", "LYZ"]),
    "Megakaryocyte": (0.015, "#e377c2", (-1.0, -8.0), ["PPBP", "PF4", "GNG11", "TUBB1", "SPARC"]),
}
MITOCHONDRIAL = ["MT-CO1", "MT-CO2", "MT-CO3", "MT-ND1", "MT-ND4", "MT-CYB", "MT-ATP6"]
EVERYWHERE = ["B2M", "ACTB", "GAPDH", "EEF1A1", "TMSB4X", "FTL", "FTH1", "RPLP0", "RPL3", "RPS6", "MALAT1"]


def gene_symbols() -> list[str]:
    markers = dict.fromkeys(gene for *_, genes in CELL_TYPES.values() for gene in genes)
    named = [*markers, *MITOCHONDRIAL, *EVERYWHERE]
    return named + [f"SIM{i:04d}" for i in range(1, GENES - len(named) + 1)]


def simulate_counts(rng: np.random.Generator, cell_type: np.ndarray, symbols: list[str]) -> sp.csr_matrix:
    """Counts (cells, genes): negative binomial with a mean that follows cell type and depth."""
    place = {symbol: i for i, symbol in enumerate(symbols)}
    base = np.exp(rng.normal(-3.2, 1.1, GENES))
    base[[place[g] for g in EVERYWHERE]] = rng.uniform(2, 6, len(EVERYWHERE))
    base[[place[g] for g in MITOCHONDRIAL]] = rng.uniform(0.4, 1.2, len(MITOCHONDRIAL))
    profile = np.tile(base, (len(CELL_TYPES), 1)) * np.exp(rng.normal(0, 0.25, (len(CELL_TYPES), GENES)))
    markers = {gene for *_, genes in CELL_TYPES.values() for gene in genes}
    profile[:, [place[g] for g in markers]] = 0.01
    for row, (*_, genes) in zip(profile, CELL_TYPES.values()):
        row[[place[g] for g in genes]] = rng.uniform(2, 8, len(genes))
    depth = rng.lognormal(0, 0.3, CELLS)
    mean = profile[cell_type] * depth[:, None]
    dispersion = 2.0
    return sp.csr_matrix(rng.poisson(rng.gamma(dispersion, mean / dispersion)).astype(np.int32))


def log_normalise(counts: sp.csr_matrix) -> sp.csr_matrix:
    """log(1 + counts per 1,000), as float32."""
    total = np.asarray(counts.sum(axis=1)).ravel()
    scaled = sp.diags(1e3 / total) @ counts
    scaled.data = np.log1p(scaled.data)
    return scaled.astype(np.float32).tocsr()


def embed(rng: np.random.Generator, cell_type: np.ndarray) -> np.ndarray:
    """A plane (cells, 2) in which every cell type is a bent cloud of its own."""
    centres = np.array([centre for _, _, centre, _ in CELL_TYPES.values()])
    spread = np.array([1.2, 0.8, 0.9, 0.6, 1.1, 0.6, 0.5, 0.35])[cell_type]
    along, across = rng.normal(0, 1, CELLS), rng.normal(0, 0.45, CELLS)
    angle = np.array([0.6, 1.8, 0.2, 2.5, 1.1, 2.0, 0.0, 0.9])[cell_type]
    bent = across + 0.25 * along**2
    x = along * np.cos(angle) - bent * np.sin(angle)
    y = along * np.sin(angle) + bent * np.cos(angle)
    return (centres[cell_type] + spread[:, None] * np.column_stack([x, y])).astype(np.float32)


def principal_components(x: sp.csr_matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores (cells, k), loadings (genes, k), share of the variance (k)."""
    dense = x.toarray().astype(np.float64)
    dense -= dense.mean(axis=0)
    u, s, vt = np.linalg.svd(dense, full_matrices=False)
    sign = np.sign(vt[np.arange(COMPONENTS), np.abs(vt[:COMPONENTS]).argmax(axis=1)])
    scores = (u[:, :COMPONENTS] * s[:COMPONENTS] * sign).astype(np.float32)
    loadings = (vt[:COMPONENTS].T * sign).astype(np.float32)
    return scores, loadings, (s**2 / (s**2).sum())[:COMPONENTS]


def neighbour_graph(scores: np.ndarray) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Distances to the nearest neighbours, and symmetric connectivities between 0 and 1."""
    distance, index = cKDTree(scores).query(scores, k=NEIGHBOURS + 1)
    rows = np.repeat(np.arange(CELLS), NEIGHBOURS)
    near, columns = distance[:, 1:].ravel(), index[:, 1:].ravel()
    distances = sp.csr_matrix((near.astype(np.float32), (rows, columns)), (CELLS, CELLS))
    weight = np.exp(-np.round(near / near.max(), 2)).astype(np.float32)
    one_way = sp.csr_matrix((weight, (rows, columns)), (CELLS, CELLS))
    return distances, one_way.maximum(one_way.T).tocsr()


def nullable(rng: np.random.Generator, values: np.ndarray, share: float, dtype: str) -> pd.array:
    out = pd.array(values, dtype=dtype)
    out[rng.random(len(values)) < share] = pd.NA
    return out


def simulate() -> ad.AnnData:
    rng = np.random.default_rng(SEED)
    names = list(CELL_TYPES)
    cell_type = rng.choice(len(names), CELLS, p=[share for share, *_ in CELL_TYPES.values()])
    symbols = gene_symbols()
    counts = simulate_counts(rng, cell_type, symbols)
    x = log_normalise(counts)
    scores, loadings, variance_ratio = principal_components(x)
    distances, connectivities = neighbour_graph(scores)

    total = np.asarray(counts.sum(axis=1)).ravel()
    mitochondrial = np.isin(symbols, MITOCHONDRIAL)
    donor = rng.integers(0, 4, CELLS)
    age = np.array([34, 51, 27, 63])
    barcodes = np.array(["".join(rng.choice(list("ACGT"), 14)) + "-1" for _ in range(CELLS)], dtype=object)
    doublet = rng.beta(1.2, 12, CELLS).astype(np.float32)
    quality = np.digitize(total, np.quantile(total, [0.2, 0.7]))
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical.from_codes(cell_type, names),
            "quality": pd.Categorical.from_codes(quality, ["low", "medium", "high"], ordered=True),
            "donor": pd.Categorical.from_codes(donor, ["D1", "D2", "D3", "D4"]),
            "n_counts": total.astype(np.int64),
            "n_genes": np.diff(counts.indptr).astype(np.int32),
            "pct_mt": (100 * np.asarray(counts[:, mitochondrial].sum(axis=1)).ravel() / total).astype(np.float32),
            "doublet_score": doublet,
            "is_doublet": nullable(rng, doublet > 0.25, 0.05, "boolean"),
            "age": nullable(rng, age[donor], 0.1, "Int32"),
            "note": nullable(rng, np.array(["re-run", "café", "ok"], object)[rng.integers(0, 3, CELLS)], 0.8, "string"),
            "in_tissue": rng.random(CELLS) < 0.9,
        },
        index=pd.Index(barcodes, dtype=object),
    )
    mean = np.asarray(x.mean(axis=0)).ravel()
    spread = np.sqrt(np.maximum(np.asarray(x.multiply(x).mean(axis=0)).ravel() - mean**2, 0))
    var = pd.DataFrame(
        {
            "symbol": np.array(symbols, dtype=object),
            "n_cells": np.diff(counts.tocsc().indptr).astype(np.int32),
            "mean": mean.astype(np.float64),
            "highly_variable": spread >= np.sort(spread)[-200],
            "mitochondrial": mitochondrial,
        },
        index=pd.Index([f"SIMG{i:07d}" for i in range(1, GENES + 1)], dtype=object, name="gene_id"),
    )
    used = [name for name in obs["cell_type"].cat.categories]
    return ad.AnnData(
        X=x,
        obs=obs,
        var=var,
        layers={"counts": counts},
        obsm={"X_pca": scores, "X_umap": embed(rng, cell_type)},
        varm={"PCs": loadings},
        obsp={"distances": distances, "connectivities": connectivities},
        uns={
            "title": "Simulated peripheral blood",
            "cell_type_colors": np.array([CELL_TYPES[name][1] for name in used], dtype=object),
            "log1p": {"base": None},
            "pca": {"params": {"n_comps": COMPONENTS, "zero_center": True}, "variance_ratio": variance_ratio},
            "neighbors": {
                "connectivities_key": "connectivities",
                "distances_key": "distances",
                "params": {"n_neighbors": NEIGHBOURS, "metric": "euclidean", "use_rep": "X_pca"},
            },
        },
    )


def answers(data: ad.AnnData) -> dict:
    """What the tests ask of the written file, answered without SQL."""
    obs, var, x, counts = data.obs, data.var, data.X.tocoo(), data.layers["counts"].tocoo()
    symbol, kind = var["symbol"].to_numpy(), obs["cell_type"].astype(str).to_numpy()
    stored = pd.DataFrame({"symbol": symbol[x.col], "cell_type": kind[x.row], "value": x.data.astype(np.float64)})
    markers = ["CD3E", "MS4A1", "NKG7", "LYZ", "PPBP"]
    mean = {gene: stored[stored["symbol"] == gene].groupby("cell_type")["value"].mean().to_dict() for gene in markers}
    values = {gene: data.X[:, np.flatnonzero(symbol == gene)].toarray().astype(np.float64).ravel() for gene in markers}
    all_cells = {gene: pd.Series(values[gene]).groupby(kind).mean().to_dict() for gene in markers}
    most = {gene: stored[stored["symbol"] == gene]["cell_type"].value_counts() for gene in sorted(markers)}
    totals = pd.Series(np.asarray(data.layers["counts"].sum(axis=0)).ravel(), index=symbol).nlargest(5)
    umap = pd.DataFrame(np.asarray(data.obsm["X_umap"], np.float64), columns=["x", "y"]).groupby(kind).mean()
    return {
        "shape": list(data.shape),
        "nonzeros": {"X": int(x.nnz), "layers/counts": int(counts.nnz)},
        "sum": {"X": float(x.data.astype(np.float64).sum()), "layers/counts": int(counts.data.sum())},
        "cellsPerType": obs["cell_type"].astype(str).value_counts().to_dict(),
        "cellsPerQuality": obs["quality"].astype(str).value_counts().to_dict(),
        "qualityOrder": list(obs["quality"].cat.categories),
        "missing": {name: int(obs[name].isna().sum()) for name in ("is_doublet", "age", "note")},
        "ageSum": int(obs["age"].sum()),
        "doublets": int(obs["is_doublet"].sum()),
        "notes": obs["note"].value_counts().to_dict(),
        "highlyVariable": int(var["highly_variable"].sum()),
        "meanOfStoredValues": mean,
        "meanOfAllCells": all_cells,
        "mostCells": {gene: {"cell_type": str(n.index[0]), "cells": int(n.iloc[0])} for gene, n in most.items()},
        "topGenes": {gene: int(total) for gene, total in totals.items()},
        "umapCentre": {name: [float(v) for v in row] for name, row in zip(umap.index, umap.to_numpy())},
        "firstCells": list(obs.index[:3]),
        "colors": list(map(str, data.uns["cell_type_colors"])),
    }


def zip_store(store: Path, target: Path) -> None:
    """Packs a store so that the same store gives the same bytes; chunks are compressed already."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(p for p in store.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(store).as_posix(), (2024, 2, 29, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED if path.name == "zarr.json" else zipfile.ZIP_STORED
            archive.writestr(entry, path.read_bytes())


def main() -> None:
    ad.settings.allow_write_nullable_strings = True
    data = simulate()
    data.write_h5ad(HERE / "pbmc.h5ad", convert_strings_to_categoricals=False, compression="gzip", compression_opts=9)

    del data.obsp["distances"], data.obsp["connectivities"], data.obsm["X_pca"], data.varm["PCs"]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "pbmc.zarr"
        ad.settings.zarr_write_format = 3
        data.write_zarr(store, convert_strings_to_categoricals=False)
        zip_store(store, HERE / "pbmc.zarr.zip")

    written = ad.read_h5ad(HERE / "pbmc.h5ad")
    (HERE / "pbmc.expected.json").write_text(json.dumps(answers(written), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
