"""`annarrow convert --compression keep`: the chunks of the output are the chunks of the input, byte by byte, and anndata,
h5py and zarr-python read the values that they held.

ZARR2_PYTHON names an interpreter with zarr 2.18 and anndata 0.11, which reads the version 2 stores, too.
"""

import os
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
ZARR2_PYTHON = os.environ.get("ZARR2_PYTHON")

# How each file is compressed, and whether Zarr 2 and 3 can hold its chunks.
FILES = {
    "gzip": ({"compression": "gzip", "compression_opts": 1}, True, False),
    "gzip-shuffle": ({"compression": "gzip", "shuffle": True}, True, False),
    "checksums": ({"compression": "gzip", "shuffle": True, "fletcher32": True}, True, False),
    "lzf": ({"compression": "lzf"}, False, False),
    "none": ({"chunks": True}, True, True),
    "zstd": (dict(hdf5plugin.Zstd(clevel=3)), True, True),
    "blosc": (dict(hdf5plugin.Blosc(cname="lz4", clevel=5, shuffle=hdf5plugin.Blosc.SHUFFLE)), True, True),
    "blosc-bits": (dict(hdf5plugin.Blosc(cname="zstd", clevel=1, shuffle=hdf5plugin.Blosc.BITSHUFFLE)), True, True),
}
ARRAYS = ["X/data", "X/indices", "X/indptr", "layers/csc/data", "layers/csc/indices", "obsm/dense", "obsm/half", "obsm/flags"]
ROWS, COLUMNS = 6000, 90


def tables() -> ad.AnnData:
    rng = np.random.default_rng(0)
    matrix = sp.random(ROWS, COLUMNS, 0.2, "csr", np.float32, rng)
    data = ad.AnnData(matrix, obs=pd.DataFrame({"n": np.arange(ROWS)}, index=[f"c{i}" for i in range(ROWS)]))
    counts = sp.random(ROWS, COLUMNS, 0.1, "csc", np.float64, rng)
    counts.data = np.round(counts.data * 100).astype(np.int64)
    data.layers["csc"] = counts
    data.obsm["dense"] = rng.standard_normal((ROWS, 30))
    data.obsm["half"] = np.round(rng.standard_normal((ROWS, 5))).astype(np.float16)
    data.obsm["flags"] = rng.random((ROWS, 7)) < 0.5
    data.obs["c"] = pd.Categorical(rng.choice(list("abc"), ROWS))
    return data


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    tables().write_h5ad(folder / "plain.h5ad")
    for name, (options, _, _) in FILES.items():
        # anndata passes only some options on, so the arrays are stored again.
        with h5py.File(folder / "plain.h5ad") as plain, h5py.File(folder / f"{name}.h5ad", "w") as out:
            for key, value in plain.attrs.items():
                out.attrs[key] = value
            for key in plain:
                plain.copy(key, out)
            for path in ARRAYS:
                values, attributes = out[path][()], dict(out[path].attrs)
                del out[path]
                rows = max(1, 1000 if values.ndim > 1 else 10_000)
                chunks = tuple(min(size, rows if d == 0 else 4) for d, size in enumerate(values.shape))
                made = out.create_dataset(path, data=values, **{**options, "chunks": chunks})
                made.attrs.update(attributes)
    return folder


def convert(source: Path, output: Path, *options: str) -> str:
    run = subprocess.run([*CLI, "convert", source, output, "--compression", "keep", *options], capture_output=True)
    assert run.returncode == 0, run.stderr.decode()
    return run.stderr.decode()


def read(path: Path) -> ad.AnnData:
    return ad.read_h5ad(path) if path.suffix == ".h5ad" else ad.read_zarr(path)


def hdf5_chunks(path: Path, name: str) -> dict[tuple[int, ...], tuple[int, bytes]]:
    with h5py.File(path) as file:
        array = file[name]
        found = {}
        for at in product(*(range(0, size, chunk) for size, chunk in zip(array.shape, array.chunks))):
            found[tuple(p // c for p, c in zip(at, array.chunks))] = array.id.read_direct_chunk(at)
        return found


def zarr_chunks(path: Path, name: str, version: int) -> dict[tuple[int, ...], bytes]:
    folder = path / name
    if version == 3:
        folder = folder / "c"
        return {tuple(map(int, p.relative_to(folder).parts)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    return {tuple(map(int, p.name.split("."))): p.read_bytes() for p in folder.iterdir() if p.name[0] != "."}


def without_masks(chunks):
    assert all(mask == 0 for mask, _ in chunks.values())
    return {place: data for place, (_, data) in chunks.items()}


@pytest.mark.parametrize("name", FILES)
def test_hdf5_to_hdf5(files, name, tmp_path):
    source, output = files / f"{name}.h5ad", tmp_path / "out.h5ad"
    assert "cannot be kept" not in convert(source, output)
    assert_equal(read(source), read(output), exact=True)
    for array in ARRAYS:
        assert hdf5_chunks(output, array) == hdf5_chunks(source, array), array
    # libhdf5 goes on writing with the filters that are described.
    with h5py.File(output, "r+") as file:
        data = file["X/data"]
        data.resize((data.shape[0] + 20_000,))
        data[-20_000:] = np.arange(20_000)
    with h5py.File(output) as file:
        np.testing.assert_array_equal(file["X/data"][-20_000:], np.arange(20_000))
        assert file["X/data"][0] == read(source).X.data[0]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", FILES)
def test_hdf5_to_zarr(files, name, version, tmp_path):
    source, output = files / f"{name}.h5ad", tmp_path / "out.zarr"
    _, *fits = FILES[name]
    errors = convert(source, output, "--zarr-format", str(version))
    assert ("cannot be kept" in errors) != fits[version - 2]
    assert_equal(read(source), read(output), exact=True)
    for array in ARRAYS if fits[version - 2] else []:
        assert zarr_chunks(output, array, version) == without_masks(hdf5_chunks(source, array)), array
        with h5py.File(source) as file:
            np.testing.assert_array_equal(zarr.open(output)[array][:], file[array][:])
    if version == 2 and ZARR2_PYTHON is not None:
        program = "import anndata, sys; a = anndata.read_zarr(sys.argv[1]); print(a.X.sum(), a.layers['csc'].sum())"
        run = subprocess.run([ZARR2_PYTHON, "-W", "ignore", "-c", program, output], capture_output=True, check=True)
        expected = read(source)
        assert run.stdout.decode().split() == [str(expected.X.sum()), str(expected.layers["csc"].sum())]


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_to_zarr_of_the_version(files, version, tmp_path):
    ad.settings.zarr_write_format = version
    source, output = tmp_path / "source.zarr", tmp_path / "out.zarr"
    tables().write_zarr(source, chunks=[500, 10])
    assert "cannot be kept" not in convert(source, output)
    assert_equal(read(source), read(output), exact=True)
    for array in ARRAYS:
        assert zarr_chunks(output, array, version) == zarr_chunks(source, array, version), array


def test_there_and_back(files, tmp_path):
    source, there, back = files / "gzip-shuffle.h5ad", tmp_path / "there.zarr", tmp_path / "back.h5ad"
    convert(source, there)
    assert "cannot be kept" not in convert(there, back, "--check")
    assert_equal(read(source), read(back), exact=True)
    for array in ARRAYS:
        assert hdf5_chunks(back, array) == hdf5_chunks(source, array), array


def test_h5dump_reads_every_value(files, tmp_path):
    output = tmp_path / "out.h5ad"
    convert(files / "checksums.h5ad", output)
    run = subprocess.run(["h5dump", "-o", "/dev/null", output], capture_output=True)
    assert run.returncode == 0, run.stderr.decode()


def part_of(source: dict, first: int, last: int) -> dict:
    """The chunks from band `first` to before band `last`, by their places in the part."""
    return {(place[0] - first, *place[1:]): data for place, data in source.items() if first <= place[0] < last}


# The numbers of cells in a band of chunks are 1000: the chunks of dense arrays begin at the same cells in all parts.
@pytest.mark.parametrize("start,end", [(0, 3500), (2000, 5000), (4000, 6000), (1000, 1001), (1500, 4000)])
@pytest.mark.parametrize("name", ["gzip-shuffle", "checksums", "lzf", "none", "zstd"])
def test_cells_in_a_range(files, name, start, end, tmp_path):
    source, output = files / f"{name}.h5ad", tmp_path / "out.h5ad"
    convert(source, output, "--obs-slice", f"{start}:{end}", "--drop-unused")
    whole = read(source)
    assert_equal(whole[start:end].copy(), read(output), exact=True)
    for array in ["obsm/dense", "obsm/half", "obsm/flags"]:
        stored = hdf5_chunks(source, array)
        bands = (start // 1000, 6 if end == 6000 else end // 1000)
        # LZF has no encoder: without one for the last rows no chunk is kept.
        if start % 1000 != 0 or bands[1] == bands[0] or (name == "lzf" and end % 1000 != 0):
            continue
        found, kept = hdf5_chunks(output, array), part_of(stored, *bands)
        assert {place: found[place] for place in kept} == kept, array
        assert len(found) == -(-(end - start) // 1000) * len({place[1] for place in stored})
        # Rows behind the part are not in the file.
        with h5py.File(output, "r+") as file:
            rows = file[array].chunks[0] * len({place[0] for place in found})
            if file[array].maxshape[0] is None:
                file[array].resize(rows, axis=0)
                assert not file[array][end - start :].any()
    if start == 0:
        entries, chunk = whole.X.indptr[end], 10_000
        for array in ["X/data", "X/indices"] if name != "lzf" else []:
            found, kept = hdf5_chunks(output, array), part_of(hdf5_chunks(source, array), 0, entries // chunk)
            assert {place: found[place] for place in kept} == kept, array
            assert len(found) == -(-entries // chunk)


@pytest.mark.parametrize("version", [2, 3])
def test_first_cells_of_zarr(files, version, tmp_path):
    ad.settings.zarr_write_format = version
    source, output = tmp_path / "source.zarr", tmp_path / "out.zarr"
    tables().write_zarr(source)
    arrays = ["obsm/dense", "obsm/half", "X/data", "X/indices"]
    store = zarr.open(source, mode="r+")
    for array in arrays:
        values, attributes = store[array][:], dict(store[array].attrs)
        chunks = (1000, 4) if values.ndim > 1 else (10_000,)
        made = store.create_array(array, data=values, chunks=chunks, overwrite=True)
        made.attrs.update(attributes)
    zarr.consolidate_metadata(source)
    convert(source, output, "--obs-slice", "0:4700")
    assert_equal(read(source)[:4700].copy(), read(output), exact=True)
    for array in arrays:
        found, stored = zarr_chunks(output, array, version), zarr_chunks(source, array, version)
        part = zarr.open(output)[array]
        assert part.chunks == zarr.open(source)[array].chunks
        assert len(found) == np.prod([-(-size // chunk) for size, chunk in zip(part.shape, part.chunks)])
        kept = part_of(stored, 0, part.shape[0] // part.chunks[0])
        assert len(kept) > 3
        assert {place: found[place] for place in kept} == kept


def test_parts_of_a_split(files, tmp_path):
    source, output = files / "gzip.h5ad", tmp_path / "out"
    run = subprocess.run([*CLI, "split", source, output, "--rows", "2000", "--compression", "keep"], capture_output=True)
    assert run.returncode == 0, run.stderr.decode()
    whole, stored = read(source), hdf5_chunks(source, "obsm/dense")
    parts = sorted(output.glob("*.h5ad"), key=lambda path: read(path).obs_names[0][1:].zfill(9))
    assert len(parts) == 3
    for i, part in enumerate(parts):
        assert_equal(whole[2000 * i : 2000 * i + 2000].copy(), read(part), exact=True)
        assert hdf5_chunks(part, "obsm/dense") == part_of(stored, 2 * i, 2 * i + 2)
