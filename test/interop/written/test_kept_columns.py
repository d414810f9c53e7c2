"""`annarrow convert --compression keep` of dataframes: categoricals, nullable columns and, within Zarr, text keep their
chunks byte by byte, and anndata reads the values that they held."""

import subprocess
from pathlib import Path

import anndata as ad
import h5py
import numpy as np
import pandas as pd
import pytest
import zarr
from anndata.tests.helpers import assert_equal

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
ROWS, CHUNK = 5000, 1200
NUMBERS = ["n", "c/codes", "i/values", "i/mask", "flag/values", "flag/mask"]
TEXT = ["obs/_index", "obs/text", "obsm/frame/s/values", "obsm/frame/s/mask", "uns/names"]


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    missing = rng.random(ROWS) < 0.2
    columns = {
        "n": rng.integers(0, 99, ROWS),
        # Unused categories, in no natural order, and missing values.
        "c": pd.Categorical(np.where(missing, None, rng.choice(list("bac"), ROWS)), ["c", "unused", "a", "b"], ordered=True),
        "i": pd.array(np.where(missing, None, rng.integers(0, 9, ROWS)), "Int16"),
        "flag": pd.array(np.where(missing, None, rng.random(ROWS) < 0.5), "boolean"),
        "text": [f"é{i}" * (i % 3) + str(i) for i in range(ROWS)],
    }
    made = pd.DataFrame(columns, index=pd.Index([f"cell {i}" for i in range(ROWS)], dtype=object))
    # Other text than that of pandas' own type, which has a mask.
    return made.astype({"text": object})


def written(path: Path, version: int | None) -> Path:
    ad.settings.allow_write_nullable_strings = True
    data = ad.AnnData(obs=frame(), var=pd.DataFrame(index=["g"]), shape=(ROWS, 1))
    # anndata makes categoricals of text with missing values in obs.
    data.obsm["frame"] = pd.DataFrame({"s": pd.array([f"t{i}" if i % 5 else None for i in range(ROWS)], "string")}, data.obs_names)
    data.uns["names"] = np.array([f"name {i}" for i in range(ROWS)], object)
    if version is None:
        data.write_h5ad(path)
        with h5py.File(path, "r+") as file:
            for name in NUMBERS:
                values, attributes = file["obs"][name][()], dict(file["obs"][name].attrs)
                del file["obs"][name]
                made = file["obs"].create_dataset(name, data=values, chunks=(CHUNK,), compression="gzip", shuffle=True)
                made.attrs.update(attributes)
    else:
        ad.settings.zarr_write_format = version
        data.write_zarr(path)
        store = zarr.open(path, mode="r+")
        for name in [*(f"obs/{name}" for name in NUMBERS), *TEXT]:
            values, attributes = store[name][:], dict(store[name].attrs)
            store.create_array(name, data=values, chunks=(CHUNK,), overwrite=True).attrs.update(attributes)
        zarr.consolidate_metadata(path)
    return path


def read(path: Path) -> ad.AnnData:
    data = ad.read_h5ad(path) if path.suffix == ".h5ad" else ad.read_zarr(path)
    # anndata reads text of the two containers as different types.
    data.obs["text"] = data.obs["text"].astype(object)
    return data


def chunks(path: Path, name: str) -> dict[str, bytes]:
    if path.suffix == ".h5ad":
        with h5py.File(path) as file:
            array = file[name]
            return {str(at // CHUNK): array.id.read_direct_chunk((at,))[1] for at in range(0, len(array), CHUNK)}
    folder = path / name
    files = (folder / "c" if (folder / "c").is_dir() else folder).iterdir()
    return {file.name: file.read_bytes() for file in files if file.name.isdigit()}


def convert(source: Path, output: Path, *options: str) -> None:
    run = subprocess.run([*CLI, "convert", source, output, "--compression", "keep", *options], capture_output=True)
    assert run.returncode == 0, run.stderr.decode()
    assert "cannot be kept" not in run.stderr.decode()
    ad.settings.allow_write_nullable_strings = True
    assert_equal(read(source), read(output), exact=True)


@pytest.mark.parametrize("options", [[], ["--check"]])
@pytest.mark.parametrize("output", ["out.h5ad", "out.zarr"])
def test_hdf5(tmp_path, output, options):
    source = written(tmp_path / "source.h5ad", None)
    convert(source, tmp_path / output, *options)
    for name in NUMBERS:
        before = chunks(source, f"obs/{name}")
        assert len(before) == 5
        assert chunks(tmp_path / output, f"obs/{name}") == before, name
    # The stored values under the mask, too.
    with h5py.File(source) as file:
        np.testing.assert_array_equal(open_array(tmp_path / output, "obs/i/values"), file["obs/i/values"][:])


def open_array(path: Path, name: str) -> np.ndarray:
    return h5py.File(path)[name][:] if path.suffix == ".h5ad" else zarr.open(path, mode="r")[name][:]


@pytest.mark.parametrize("options", [[], ["--check"]])
@pytest.mark.parametrize("version", [2, 3])
def test_zarr(tmp_path, version, options):
    source, output = written(tmp_path / "source.zarr", version), tmp_path / "out.zarr"
    convert(source, output, *options)
    for name in [*(f"obs/{name}" for name in NUMBERS), *TEXT]:
        before = chunks(source, name)
        assert len(before) == 5, name
        assert chunks(output, name) == before, name


@pytest.mark.parametrize("start,end", [(0, 2 * CHUNK), (CHUNK, ROWS), (CHUNK, 3000), (7, 3000)])
def test_cells_in_a_range_of_zarr(tmp_path, start, end):
    source, output = written(tmp_path / "source.zarr", 2), tmp_path / "out.zarr"
    run = subprocess.run(
        [*CLI, "convert", source, output, "--compression", "keep", "--obs-slice", f"{start}:{end}"], capture_output=True
    )
    assert run.returncode == 0, run.stderr.decode()
    ad.settings.remove_unused_categories = False
    ad.settings.allow_write_nullable_strings = True
    assert_equal(read(source)[start:end].copy(), read(output), exact=True)


def test_text_of_zarr_in_other_containers(tmp_path):
    source = written(tmp_path / "source.zarr", 2)
    for output, options in {"out.h5ad": [], "out3.zarr": ["--zarr-format", "3"]}.items():
        run = subprocess.run(
            [*CLI, "convert", source, tmp_path / output, "--compression", "keep", *options], capture_output=True
        )
        assert run.returncode == 0, run.stderr.decode()
        ad.settings.allow_write_nullable_strings = True
        assert_equal(read(source), read(tmp_path / output), exact=True)
