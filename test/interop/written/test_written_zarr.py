"""zarr-python and anndata read the Zarr stores that make_written_zarr.mjs writes with the library's writer.

ZARR2_PYTHON names an interpreter with zarr 2.18 and anndata 0.11: the version 2 stores pass the same checks there.
"""

import json
import os
import struct
import subprocess
from pathlib import Path

import google_crc32c
import numpy as np
import pytest
import zarr

from written_zarr_checks import check

HERE = Path(__file__).resolve().parent
COMPRESSIONS = ("none", "gzip", "zstd", "lz4", "blosczstd")
VERSIONS = ("v2", "v3", "v3s", "v3old")
STORES = [
    *(f"{kind}.{version}.{name}.zarr" for kind in ("types", "anndata") for version in VERSIONS for name in COMPRESSIONS),
    *(f"anndata.{version}.zip" for version in VERSIONS),
]
ZARR2_PYTHON = os.environ.get("ZARR2_PYTHON")


@pytest.fixture(scope="session")
def stores(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    run = subprocess.run(["node", str(HERE / "make_written_zarr.mjs"), str(folder)], capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr.decode()
    return folder


def test_every_store_is_written(stores):
    assert {path.name for path in stores.iterdir()} == set(STORES)


@pytest.mark.parametrize("name", STORES)
def test_zarr_3(stores, name):
    check(stores / name)


@pytest.mark.skipif(ZARR2_PYTHON is None, reason="ZARR2_PYTHON names no interpreter with zarr 2.18")
def test_zarr_2(stores):
    version = [ZARR2_PYTHON, "-c", "import anndata, zarr; print(zarr.__version__, anndata.__version__)"]
    found = subprocess.run(version, capture_output=True, text=True, check=True).stdout.split()
    assert found[0].startswith("2.18.") and found[1].startswith("0.11."), found
    paths = [str(stores / name) for name in STORES if ".v2." in name]
    run = subprocess.run(
        [ZARR2_PYTHON, str(HERE / "written_zarr_checks.py"), *paths], capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == [found[0], str(len(paths))]


def documents(store: Path) -> dict:
    """All documents of a store by their keys."""
    names = ("zarr.json", ".zarray", ".zgroup", ".zattrs")
    return {
        str(path.relative_to(store)): json.loads(path.read_text()) for path in store.rglob("*") if path.name in names
    }


@pytest.mark.parametrize("kind", ["types", "anndata"])
def test_consolidated_v2(stores, kind):
    store = stores / f"{kind}.v2.gzip.zarr"
    consolidated = json.loads((store / ".zmetadata").read_text())
    assert consolidated["zarr_consolidated_format"] == 1
    # As texts, since NaN is not equal to itself.
    assert json.dumps(consolidated["metadata"], sort_keys=True) == json.dumps(documents(store), sort_keys=True)


@pytest.mark.parametrize("kind", ["types", "anndata"])
@pytest.mark.parametrize("version", ["v3", "v3s"])
def test_consolidated_v3(stores, kind, version):
    store = stores / f"{kind}.{version}.gzip.zarr"
    found = documents(store)
    consolidated = found.pop("zarr.json")["consolidated_metadata"]
    assert consolidated["kind"] == "inline" and consolidated["must_understand"] is False
    nodes = {key.removesuffix("/zarr.json"): document for key, document in found.items()}
    assert json.dumps(consolidated["metadata"], sort_keys=True) == json.dumps(nodes, sort_keys=True)


def members(path: Path, node: str) -> dict:
    return json.loads((path / node / "zarr.json").read_text())


@pytest.mark.parametrize("name", ["matrix", "given matrix", "cube", "long", "gaps", "strings", "many strings", "open"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_shards(stores, name, compression):
    store = stores / f"types.v3s.{compression}.zarr"
    document = members(store, name)
    (codec,) = document["codecs"]
    assert codec["name"] == "sharding_indexed"
    shape = document["shape"]
    shard = document["chunk_grid"]["configuration"]["chunk_shape"]
    inner = codec["configuration"]["chunk_shape"]
    assert all(outer % size == 0 for outer, size in zip(shard, inner))
    slots = int(np.prod([outer // size for outer, size in zip(shard, inner)]))
    files = [path for path in (store / name / "c").rglob("*") if path.is_file()]
    assert len(files) == np.prod([-(-size // outer) for size, outer in zip(shape, shard)])
    for file in files:
        data = file.read_bytes()
        index = data[-16 * slots - 4 : -4]
        assert struct.unpack("<I", data[-4:]) == (google_crc32c.value(index),)
        ranges = [entry for entry in struct.iter_unpack("<QQ", index) if entry != (2**64 - 1, 2**64 - 1)]
        # Chunks fill the shard, in their order, without gaps.
        ends = [start + size for start, size in ranges]
        assert [start for start, _ in ranges] == [0, *ends[:-1]] and ends[-1] == len(data) - 16 * slots - 4


def test_only_scalars_and_records_are_not_sharded(stores):
    found = documents(stores / "types.v3s.gzip.zarr")
    plain = {
        key.removesuffix("/zarr.json")
        for key, document in found.items()
        if document["node_type"] == "array" and document["codecs"][0]["name"] != "sharding_indexed"
    }
    assert plain == {"scalar int", "scalar zero", "scalar text", "scalar empty", "null", "record", "byte record"}


@pytest.mark.parametrize("version", ["v2", "v3", "v3s"])
def test_fill_values_are_left_out(stores, version):
    store = stores / f"types.{version}.gzip.zarr"
    for name in ("all zero", "all empty", "null", "zero"):
        assert {path.name for path in (store / name).iterdir()} <= {"zarr.json", ".zarray", ".zattrs"}, name
    files = [path for path in (store / "gaps").rglob("*") if path.is_file() and not path.name.startswith((".z", "zarr"))]
    if version == "v3s":
        (file,) = files
        index = list(struct.iter_unpack("<Q", file.read_bytes()[-164:-4]))
        assert [start == (2**64 - 1,) for start in index] == [True] * 10 + [False] * 10
    else:
        assert len(files) == 5


@pytest.mark.parametrize("version", ["v2", "v3", "v3s"])
def test_documents_are_those_of_zarr(stores, version, tmp_path):
    """What zarr writes for the same array, key by key; it puts other codecs and fill values of time there."""
    theirs = zarr.open_group(str(tmp_path), mode="w", zarr_format=int(version[1]))
    ours = zarr.open_group(str(stores / f"types.{version}.none.zarr"), mode="r")
    name_of = ".zarray" if version == "v2" else "zarr.json"
    for name, array in ours.arrays():
        if name.startswith("null"):
            continue
        made = theirs.create_array(
            name,
            shape=array.shape,
            dtype=array.metadata.dtype if version == "v2" else array.metadata.data_type,
            chunks=array.chunks,
            shards=array.shards,
            compressors=None,
        )
        assert made.shape == array.shape
        mine = json.loads((stores / f"types.{version}.none.zarr" / name / name_of).read_text())
        other = json.loads((tmp_path / name / name_of).read_text())
        if name in ("datetime", "days", "timedelta"):
            other["fill_value"] = 0
        if array.shards is not None:
            # A checksum that zarr-python does not write unless it is asked to.
            assert mine["codecs"][0]["configuration"]["codecs"].pop() == {"name": "crc32c"}
        mine.pop("attributes", None)
        other.pop("attributes", None)
        assert mine == other, name
