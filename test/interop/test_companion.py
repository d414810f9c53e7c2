"""`annarrow index`: genes that are read from the companion of a file are the columns of anndata, also after the file was
replaced, when the old companion is not used."""

import json
import subprocess
from pathlib import Path

import anndata as ad
import numpy as np
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
ROWS, GENES = 700, 60
READ = """
import { open } from "annarrow";
const [file, companion, layers] = process.argv.slice(1);
const data = await open(file, { companion });
const names = await data.varNames();
const all = {};
for (const layer of JSON.parse(layers)) {
  const how = layer === null ? {} : { layer };
  all[layer ?? "X"] = [];
  for (const [i, name] of names.entries()) {
    const gene = await data.gene(name, how);
    // Several genes at once are put in order.
    const several = await data.gene([name, names[(7 * i + 3) % names.length]], how);
    if (!gene.every((value, row) => Object.is(value, several.get(name)[row]))) throw new Error(`${layer}: ${name}`);
    all[layer ?? "X"].push({ type: gene.constructor.name, values: Array.from(gene) });
  }
}
await data.close();
console.log(JSON.stringify(all));
"""
ARRAYS = {"Float32Array": "float32", "Float64Array": "float64", "Int32Array": "int32"}
LAYERS = {"X": lambda data: data.X, "counts": lambda data: data.layers["counts"], "scaled": lambda data: data.layers["scaled"]}


def made(seed: int) -> ad.AnnData:
    """Counts as float32, as int32 with negative numbers, and fractions as float64; empty genes and cells."""
    rng = np.random.default_rng(seed)
    counts = sp.random(ROWS, GENES, 0.1, "csr", np.float32, rng, lambda n: rng.integers(1, 3000, n))
    counts = counts.multiply(rng.random(GENES) < 0.9).multiply((rng.random(ROWS) < 0.9)[:, None]).tocsr()
    whole, fractions = counts.astype(np.int32), counts.astype(np.float64)
    whole.data -= 1500
    fractions.data = rng.standard_normal(fractions.nnz)
    data = ad.AnnData(counts.astype(np.float32), layers={"counts": whole, "scaled": fractions})
    data.var_names = [f"gene {i}" for i in range(GENES)]
    return data


def write(data: ad.AnnData, path: Path) -> None:
    data.write_zarr(path) if path.suffix == ".zarr" else data.write_h5ad(path)


def index(path: Path, cache: Path) -> str:
    command = [*CLI, "index", str(path), "--cache", str(cache)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stderr


def companion_of(path: Path, cache: Path) -> dict:
    command = [*CLI, "inspect", str(path), "--json", "--companion", str(cache)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["companion"]


def check_genes(path: Path, cache: Path) -> None:
    data = ad.read_zarr(path) if path.suffix == ".zarr" else ad.read_h5ad(path)
    layers = json.dumps([None, "counts", "scaled"])
    command = ["node", "--input-type=module", "-e", READ, str(path), str(cache), layers]
    genes = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    assert set(genes) == set(LAYERS)
    for name, matrix in LAYERS.items():
        expected = matrix(data).toarray()
        for gene, found in enumerate(genes[name]):
            assert ARRAYS[found["type"]] == expected.dtype.name
            np.testing.assert_array_equal(np.array(found["values"], expected.dtype), expected[:, gene], f"{name} {gene}")


@pytest.mark.parametrize("name", ["data.h5ad", "data.zarr"])
def test_genes_of_a_companion(name: str, tmp_path: Path):
    path, cache = tmp_path / name, tmp_path / "cache"
    write(made(1), path)
    assert "wrote" in index(path, cache)
    companion = companion_of(path, cache)
    assert companion["problem"] is None
    assert sorted(companion["elements"]) == ["X", "layers/counts", "layers/scaled"]
    check_genes(path, cache)

    # Another file of the same shape takes its place.
    write(made(2), path)
    assert companion_of(path, cache)["problem"] is not None
    check_genes(path, cache)
    assert "wrote" in index(path, cache)
    assert companion_of(path, cache)["problem"] is None
    check_genes(path, cache)
    assert "up to date" in index(path, cache)


def test_values_come_from_the_companion(tmp_path: Path):
    """A companion with other values is what `gene` reads: so the test above reads companions."""
    path, cache = tmp_path / "data.h5ad", tmp_path / "cache"
    write(made(1), path)
    index(path, cache)
    stored = list(cache.glob("*/*/*/val"))
    assert stored
    for values in stored:
        content = values.read_bytes()
        values.write_bytes(content[:8] + bytes(len(content) - 8))
    with pytest.raises(AssertionError):
        check_genes(path, cache)
