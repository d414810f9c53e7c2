"""`annarrow concat --compression keep`: chunks that begin at a place of the new grid are the inputs' chunks, byte by byte,
and the values are the ones of anndata.concat."""

import subprocess
from itertools import product
from pathlib import Path

import anndata as ad
import h5py
import hdf5plugin
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import zarr
from anndata.tests.helpers import assert_equal

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
GZIP = {"compression": "gzip", "compression_opts": 4}
BLOSC = dict(hdf5plugin.Blosc(cname="lz4", clevel=5, shuffle=hdf5plugin.Blosc.SHUFFLE))
# Chunks of entries, and of rows of the dense matrix.
ENTRIES, ROWS, GENES = 500, 50, 20
ARRAYS = {"X/data": ENTRIES, "X/indices": ENTRIES, "obsm/dense": ROWS}


def tables(name: str, rows: int, per_row: int = 10) -> ad.AnnData:
    rng = np.random.default_rng(rows)
    indices = np.concatenate([np.sort(rng.choice(GENES, per_row, replace=False)) for _ in range(rows)])
    data = rng.integers(1, 9, rows * per_row).astype(np.float32)
    matrix = sp.csr_matrix((data, indices, np.arange(rows + 1) * per_row), (rows, GENES))
    names = pd.DataFrame(index=[f"{name}{i}" for i in range(rows)])
    made = ad.AnnData(matrix, obs=names, var=pd.DataFrame(index=[f"g{i}" for i in range(GENES)]))
    made.obsm["dense"] = rng.standard_normal((rows, 6))
    return made


def write_h5ad(path: Path, data: ad.AnnData, options: dict) -> Path:
    data.write_h5ad(path)
    with h5py.File(path, "r+") as file:
        for array, rows in ARRAYS.items():
            values, attributes = file[array][()], dict(file[array].attrs)
            del file[array]
            chunks = (rows, *[4] * (values.ndim - 1))
            shape = {"maxshape": (None, *values.shape[1:])}
            made = file.create_dataset(array, data=values, chunks=chunks, **shape, **options)
            made.attrs.update(attributes)
    return path


def chunks_of(path: Path, name: str) -> dict[tuple[int, ...], bytes]:
    if path.suffix == ".zarr":
        return {tuple(map(int, p.name.split("."))): p.read_bytes() for p in (path / name).iterdir() if p.name[0] != "."}
    with h5py.File(path) as file:
        array, found = file[name], {}
        for at in product(*(range(0, size, chunk) for size, chunk in zip(array.shape, array.chunks))):
            mask, stored = array.id.read_direct_chunk(at)
            assert mask == 0
            found[tuple(p // c for p, c in zip(at, array.chunks))] = stored
        return found


def read(path: Path) -> ad.AnnData:
    return ad.read_h5ad(path) if path.suffix == ".h5ad" else ad.read_zarr(path)


def concat(inputs: list[Path], output: Path) -> ad.AnnData:
    run = subprocess.run(
        [*CLI, "concat", *inputs, "-o", output, "--compression", "keep"], capture_output=True
    )
    assert run.returncode == 0, run.stderr.decode()
    assert "cannot be kept" not in run.stderr.decode()
    assert_equal(ad.concat([read(path) for path in inputs]), read(output))
    return read(output)


def kept(inputs: list[Path], output: Path, name: str, first: list[int | None]) -> int:
    """Compares the whole chunks of each input that begins at the chunk `first`. Returns the number of equal chunks."""
    found, count = chunks_of(output, name), 0
    for i, (path, start) in enumerate(zip(inputs, first)):
        if start is None:
            continue
        own = chunks_of(path, name)
        array = (h5py.File(path) if path.suffix == ".h5ad" else zarr.open(path, mode="r"))[name]
        is_last = i == len(inputs) - 1
        whole = -(-array.shape[0] // array.chunks[0]) if is_last else array.shape[0] // array.chunks[0]
        for (row, *rest), stored in own.items():
            if row < whole:
                assert found[(start + row, *rest)] == stored, (name, i, row)
                count += 1
    return count


@pytest.mark.parametrize("output", ["out.h5ad", "out.zarr"])
def test_inputs_of_whole_chunks_and_a_last_partial_one(tmp_path, output):
    sizes = [200, 100, 130]
    inputs = [write_h5ad(tmp_path / f"{n}.h5ad", tables(f"c{n}-", n), GZIP) for n in sizes]
    result = tmp_path / output
    concat(inputs, result)
    assert kept(inputs, result, "X/data", [0, 4, 6]) == 4 + 2 + 3
    assert kept(inputs, result, "X/indices", [0, 4, 6]) == 9
    assert kept(inputs, result, "obsm/dense", [0, 4, 6]) == 9 * 2


@pytest.mark.parametrize("output", ["out.h5ad", "out.zarr"])
def test_an_input_that_begins_inside_a_chunk_is_encoded_anew(tmp_path, output):
    # The third input begins at a place of the grid again.
    sizes = [220, 80, 110]
    inputs = [write_h5ad(tmp_path / f"{n}.h5ad", tables(f"c{n}-", n), GZIP) for n in sizes]
    result = tmp_path / output
    concat(inputs, result)
    for name, chunks in {"X/data": 7, "X/indices": 7, "obsm/dense": 14}.items():
        assert kept(inputs, result, name, [0, None, 6]) == chunks
    assert len(chunks_of(result, "X/data")) == 9


def test_an_input_of_another_codec_is_encoded_anew(tmp_path):
    inputs = [
        write_h5ad(tmp_path / "a.h5ad", tables("a", 300), GZIP),
        write_h5ad(tmp_path / "b.h5ad", tables("b", 100), BLOSC),
        write_h5ad(tmp_path / "c.h5ad", tables("c", 60), GZIP),
    ]
    concat(inputs, tmp_path / "out.h5ad")
    assert kept(inputs, tmp_path / "out.h5ad", "X/data", [0, None, 8]) == 6 + 2
    with h5py.File(tmp_path / "out.h5ad") as file:
        assert file["X/data"].compression == "gzip"


@pytest.mark.parametrize("output", ["out.zarr"])
def test_zarr_to_zarr(tmp_path, output):
    inputs = []
    for n in [200, 130]:
        h5ad = write_h5ad(tmp_path / f"{n}.h5ad", tables(f"c{n}-", n), GZIP)
        inputs.append(tmp_path / f"{n}.zarr")
        subprocess.run([*CLI, "convert", h5ad, inputs[-1], "--compression", "keep"], check=True)
    concat(inputs, tmp_path / output)
    for name, chunks in {"X/data": 7, "X/indices": 7, "obsm/dense": 14}.items():
        assert kept(inputs, tmp_path / output, name, [0, 4]) == chunks


def test_other_genes_and_types_are_encoded_anew(tmp_path):
    a, b = tables("a", 200), tables("b", 100)
    b = b[:, ::-1].copy()
    b.obsm["dense"] = b.obsm["dense"].astype(np.float32)
    inputs = [write_h5ad(tmp_path / "a.h5ad", a, GZIP), write_h5ad(tmp_path / "b.h5ad", b, GZIP)]
    concat(inputs, tmp_path / "out.h5ad")


def test_less_than_half_that_stays_is_encoded_anew(tmp_path):
    inputs = [write_h5ad(tmp_path / f"{n}.h5ad", tables(f"c{n}-", n), GZIP) for n in [60, 210, 95]]
    concat(inputs, tmp_path / "out.h5ad")
