"""zlib, numcodecs, libhdf5 and google-crc32c decode the chunks that our encoders make."""

import gzip
import json
import struct
import subprocess
import zlib
from pathlib import Path

import google_crc32c
import h5py
import numpy as np
import pytest
from numcodecs import Shuffle
from numcodecs.blosc import Blosc
from numcodecs.zstd import Zstd

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def chunks(tmp_path_factory) -> list[dict]:
    folder = tmp_path_factory.mktemp("chunks")
    subprocess.run(["node", "test/interop/written/make_encoded_chunks.mjs", str(folder)], check=True, timeout=300, cwd=ROOT)
    found = json.loads((folder / "chunks.json").read_text())
    for entry in found:
        entry["raw"] = (folder / f"{entry['chunk']}.raw").read_bytes()
        entry["encoded"] = (folder / entry["file"]).read_bytes()
    assert len(found) > 1000
    return found


def only(chunks: list[dict], *kinds: str, empty: bool = True) -> list[dict]:
    """Those whose steps are of these kinds; there must be some. numcodecs decodes no chunks of nothing, its own neither."""
    found = [entry for entry in chunks if tuple(step["kind"] for step in entry["steps"]) == kinds]
    assert len(found) >= 11
    return [entry for entry in found if empty or entry["raw"]]


def names(entries: list[dict]) -> list[str]:
    return [entry["file"] for entry in entries]


def test_deflate(chunks):
    decode = {"zlib": zlib.decompress, "gzip": gzip.decompress}
    wrong = [e for e in only(chunks, "deflate") if decode[e["steps"][0]["form"]](e["encoded"]) != e["raw"]]
    assert names(wrong) == []


def test_deflate_is_little_longer_than_zlibs(chunks):
    """All chunks together, at every level but the first, are at most a twenty-fifth longer.

    Node's zlib is the fork of Chromium, which looks for matches by other hashes than zlib itself: 0.8 to 3.9 % longer on
    these chunks of counts and noise.
    """
    for level in range(2, 10):
        entries = [e for e in only(chunks, "deflate") if e["encoding"] == f"zlib-{level}"]
        ours = sum(len(e["encoded"]) for e in entries)
        assert ours <= 1.04 * sum(len(zlib.compress(e["raw"], level)) for e in entries), level


def test_zstd(chunks):
    wrong = [e for e in only(chunks, "zstd", empty=False) if bytes(Zstd().decode(e["encoded"])) != e["raw"]]
    assert names(wrong) == []


def test_blosc(chunks):
    entries = only(chunks, "blosc", empty=False)
    assert names([e for e in entries if bytes(Blosc().decode(e["encoded"])) != e["raw"]]) == []
    for entry in entries:
        [step] = entry["steps"]
        size = len(entry["raw"])
        assert len(entry["encoded"]) <= size + 16, entry["file"]
        _, _, flags, value_size, declared, _, length = struct.unpack_from("<4B3I", entry["encoded"])
        assert (declared, length) == (size, len(entry["encoded"])), entry["file"]
        assert value_size == (1 if step["elementBytes"] > 255 else step["elementBytes"]), entry["file"]
        assert flags & 1 == (step["shuffle"] == "byte" and value_size > 1), entry["file"]
        if step["clevel"] == 0:
            assert flags & 2, entry["file"]


def test_shuffle(chunks):
    for entry in only(chunks, "shuffle"):
        size = entry["steps"][0]["elementBytes"]
        whole = len(entry["raw"]) // size * size
        # numcodecs takes whole values alone; libhdf5 leaves what is left over where it is.
        assert entry["encoded"][whole:] == entry["raw"][whole:], entry["file"]
        if whole > 0:
            decoded = Shuffle(size).decode(np.frombuffer(entry["encoded"][:whole], "u1"))
            assert bytes(decoded) == entry["raw"][:whole], entry["file"]


def read_by_hdf5(entry: dict, dtype: str, **filters) -> bytes:
    """The chunk as libhdf5 reads it, checksum and all, put as it is into a dataset with these filters."""
    count = len(entry["raw"]) // np.dtype(dtype).itemsize
    with h5py.File("memory.h5", "w", driver="core", backing_store=False) as file:
        dataset = file.create_dataset("x", shape=(count,), dtype=dtype, chunks=(count,), **filters)
        dataset.id.write_direct_chunk((0,), entry["encoded"])
        return dataset[:].tobytes()


def test_fletcher32(chunks):
    entries = only(chunks, "fletcher32", empty=False)
    assert names([e for e in entries if read_by_hdf5(e, "u1", fletcher32=True) != e["raw"]]) == []


def test_all_filters_of_hdf5(chunks):
    entries = [e for e in only(chunks, "shuffle", "deflate", "fletcher32", empty=False) if len(e["raw"]) % 4 == 0]
    filters = {"shuffle": True, "compression": "gzip", "compression_opts": 4, "fletcher32": True}
    assert len(entries) >= 5
    assert names([e for e in entries if read_by_hdf5(e, "<i4", **filters) != e["raw"]]) == []


def test_crc32c(chunks):
    def checked(data: bytes) -> bytes:
        assert int.from_bytes(data[-4:], "little") == google_crc32c.value(data[:-4])
        return data[:-4]

    assert names([e for e in only(chunks, "crc32c") if checked(e["encoded"]) != e["raw"]]) == []
    both = only(chunks, "zstd", "crc32c", empty=False)
    assert names([e for e in both if bytes(Zstd().decode(checked(e["encoded"]))) != e["raw"]]) == []
