"""h5py and the HDF5 tools read what our HDF5 writer writes, find every name in it, and change it."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
KINDS = ("plain", "gzip", "all", "sums")
CROWD = {"plain": 10_000, "gzip": 1000, "all": 1000, "sums": 1000}
USER_BLOCKS = {"plain": 0, "gzip": 0, "all": 1024, "sums": 512}
FILES = (*KINDS, "names", "borders", "borders_compact", "many_chunks", "many_chunks_flat", "nothing")
TOOLS = ("h5dump", "h5stat", "h5debug", "h5repack", "h5diff")


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("written-hdf5")
    run = subprocess.run(["node", ROOT / "test/interop/written/make_written_hdf5.mjs", out], capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr.decode()
    return out


def noise(count, start=0):
    return (np.arange(start, start + count, dtype=np.int64) * 7919 + 13) % 251


def word(i: int) -> bytes:
    return (f"w{i}" * (i % 9)).encode()


COLOURS = {"red": 0, "green": 1, "blue": -5}


def kinds() -> dict:
    want = {}
    for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        numbers = (noise(35) % 100).astype("<" + name)
        want[f"num_{name}"] = numbers.reshape(5, 7)
        want[f"scalar_{name}"] = numbers[0]
        want[f"tiny_{name}"] = numbers[:3]
    want["num_f2"] = np.array([0, 1, -2, np.inf], "<f2")
    want["bool"] = (noise(11) & 1).astype(bool)
    want["enum"] = np.array([0, 1, -5], "<i2")
    want["null"] = h5py.Empty("<f8")
    want["zero"] = np.zeros((0, 3))
    want["zero_columns"] = np.zeros((3, 0))
    want["zero_growing"] = np.zeros((0, 4))
    want["zero_growing_columns"] = np.zeros((3, 0))
    for padding in ("nullterm", "nullpad", "spacepad"):
        want[f"fixed_{padding}_ascii"] = np.array([b"abc", b"de", b""], "S5")
        want[f"fixed_{padding}_utf8"] = np.array(["é".encode(), b"xy", b""], "S5")
    want["vlen_utf8"] = [b"alpha", b"", "βeta".encode(), b"x" * 70_000, b"end"]
    want["vlen_ascii"] = [b"a", b"bc"]
    want["vlen_scalar"] = b"hello"
    want["vlen_2d"] = [[b"a", b"b"], [b"", b"d"]]
    want["vlen_many"] = want["vlen_growing"] = [word(i) for i in range(70_000)]
    want["vlen_i4"] = [np.arange(k, dtype="<i4") for k in (0, 3, 1, 5)]
    want["vlen_bytes"] = [np.array(v, "u1") for v in ([0, 1], [], [2, 0, 255])]
    inner = np.dtype([("colour", "<i2"), ("z", "<c8", (2,))])
    compound = np.zeros(
        3, [("id", "<i4"), ("name", "S4"), ("x", "<f8"), ("flag", "?"), ("arr", "<i1", (2, 3)), ("inner", inner)]
    )
    compound["id"], compound["name"], compound["x"] = [1, 2, 3], [b"a", b"bcde", b""], [0.5, 1e300, -1]
    compound["flag"], compound["arr"] = [1, 0, 1], np.arange(18).reshape(3, 2, 3)
    compound["inner"]["colour"] = [0, 1, -5]
    compound["inner"]["z"] = np.arange(12, dtype="<f4").view("<c8").reshape(3, 2)
    want["compound"] = compound
    want["complex64"] = np.array([1 + 2j, 3 + 4j], "<c8")
    want["complex"] = np.array([1 + 2j, 3 + 4j], "<c16")
    want["opaque"] = np.array([b"abcdef", b"uvw\0yz"], "V6")
    for shape in ((103,), (37, 53), (11, 13, 9), (4,), (0, 4)):
        for way in ("growing", "extendable", "known", "plain"):
            name = f"chunked{'x'.join(map(str, shape))}_{way}"
            want[name] = noise(int(np.prod(shape))).astype("<f4").reshape(shape)
    want["large"] = want["large_growing"] = noise(1_000_000).astype("<i4")
    want["wide"] = noise(300 * 1001).astype("<f8").reshape(300, 7, 143)
    return want


ATTRIBUTES = {
    "i": np.int32(7),
    "f2": np.array([1, 2, 0.5], "<f2"),
    "b": np.True_,
    "e": np.int16(-5),
    "n": h5py.Empty("<f8"),
    "fixed": np.bytes_(b"doubl"),
    "space": np.array(["äb".encode(), b"cd"], "S6"),
    "v": "string",
    "empty": "",
    "va": ["a", ""],
    "none": [],
    "c": np.complex128(1.5 - 2j),
    "größe \U0001f600": np.zeros(0, "<i4"),
    "2d": np.arange(1, 7).reshape(2, 3),
}
WITH_ATTRIBUTES = ("attributes", "inner", "/", "big_200000", "biggroup_200000", "big_5000000", "biggroup_5000000")


def same(found, want):
    if isinstance(want, h5py.Empty):
        assert isinstance(found, h5py.Empty) and found.dtype == want.dtype
    elif isinstance(want, list):
        assert len(found) == len(want)
        for one, other in zip(found, want):
            np.testing.assert_array_equal(one, other)
    else:
        np.testing.assert_array_equal(found, want)
        if isinstance(want, (np.ndarray, np.generic)):
            assert np.asarray(found).dtype == want.dtype and np.shape(found) == np.shape(want)


def check_values(file, want):
    for name, values in want.items():
        try:
            same(file[name][()], values)
        except Exception as error:
            raise AssertionError(name) from error


def check_attributes(file, want=ATTRIBUTES):
    for path in WITH_ATTRIBUTES:
        attributes = file[path].attrs
        for name, value in want.items():
            assert name in attributes, (path, name)
            try:
                same(attributes[name], value)
            except Exception as error:
                raise AssertionError((path, name)) from error
        assert [b"".join(one) for one in attributes["MATLAB_fields"]] == [b"abc", b"d", b"longer"]
        assert bytes(attributes["o"]) == b"xyz"
        record = attributes["record"]
        assert [s.decode() if isinstance(s, bytes) else s for s in record["s"]] == ["one", "zwöi"]
        np.testing.assert_array_equal(record["i"], [[1, 2], [3, 4]])
        assert file[attributes["ref"][0]] == file["bool"] and file[attributes["ref"][1]] == file["/"]


def check_big(file):
    for size in (200_000, 5_000_000):
        want = (noise(size // 8) % 100).astype("<i8")
        same(file[f"big_{size}"].attrs["big"], want)
        same(file[f"biggroup_{size}"].attrs["big"], want)
        assert file[f"big_{size}"][()] == 1 and file[f"biggroup_{size}/x"][()] == 3
    same(file["big_reserved"].attrs["big"], (noise(70_000) % 100).astype("<i1"))
    same(file["many_dense"].attrs["big"], (noise(66_000) % 100).astype("<i1"))
    for name in ("many_attributes", "many_dense"):
        for i in range(900):
            assert file[name].attrs[f"a{i}"] == i


def every_name(group):
    """All objects by lookup: a listing would hide names that are out of order."""
    for name in group:
        assert name in group
        child = group[name]
        for attribute in child.attrs:
            assert attribute in child.attrs and child.attrs.get_id(attribute) is not None
        yield child
        if isinstance(child, h5py.Group):
            yield from every_name(child)


@pytest.mark.parametrize("name", KINDS)
def test_h5py_reads_every_value(folder, name):
    with h5py.File(folder / f"{name}.h5") as file:
        assert file.userblock_size == USER_BLOCKS[name]
        check_values(file, kinds())
        check_attributes(file)
        check_big(file)
        lines = file["vlen_texts"][()]
        assert [list(line) for line in lines] == [[b"a", b"bc"], [], [b"def"]]
        assert list(file["compound_vlen"]["s"]) == [b"one", b"", "zwöi".encode()]
        np.testing.assert_array_equal(file["compound_vlen"]["i"], [0, 1, 2])
        refs = file["refs"][0]
        assert [file[ref].name for ref in refs] == ["/bool", "/inner", "/vlen_utf8", "/"]
        assert file[file["loop"][0]] == file["inner"] and file[file["inner"].attrs["loop"]] == file["loop"]
        crowd = file["crowd"]
        assert len(crowd) == CROWD[name] and "member 1" not in crowd
        for i in range(CROWD[name]):
            assert crowd[f"member {i:05}"][()] == i


@pytest.mark.parametrize("name", KINDS)
def test_h5py_sees_the_types(folder, name):
    with h5py.File(folder / f"{name}.h5") as file:
        assert h5py.check_enum_dtype(file["enum"].dtype) == COLOURS
        assert h5py.check_enum_dtype(file["attributes"].attrs.get_id("e").dtype) == COLOURS
        for path, encoding, length in (
            ("vlen_utf8", "utf-8", None),
            ("vlen_ascii", "ascii", None),
            ("vlen_scalar", "utf-8", None),
            ("fixed_nullpad_ascii", "ascii", 5),
            ("fixed_spacepad_utf8", "utf-8", 5),
        ):
            info = h5py.check_string_dtype(file[path].dtype)
            assert (info.encoding, info.length) == (encoding, length), path
        for padding, code in (("nullterm", h5py.h5t.STR_NULLTERM), ("nullpad", 1), ("spacepad", 2)):
            assert file[f"fixed_{padding}_ascii"].id.get_type().get_strpad() == code
        assert file["refs"].dtype.metadata["ref"] is h5py.Reference
        assert h5py.check_vlen_dtype(file["vlen_i4"].dtype) == np.dtype("<i4")
        inner = file["compound"].id.get_type().get_member_type(5)
        assert inner.get_member_name(0) == b"colour" and inner.get_member_type(0).get_class() == h5py.h5t.ENUM
        assert file["compound"].dtype.itemsize == 4 + 4 + 8 + 1 + 6 + 2 + 16


def filters_of(dataset):
    plist = dataset.id.get_create_plist()
    return [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]


@pytest.mark.parametrize("name", KINDS)
def test_layouts_filters_and_limits(folder, name):
    deflate = {"plain": [], "gzip": [1], "all": [2, 1, 3], "sums": [3]}[name]
    sums = [3] if name in ("all", "sums") else []
    with h5py.File(folder / f"{name}.h5") as file:
        for shape in ((103,), (37, 53), (11, 13, 9), (4,)):
            base = f"chunked{'x'.join(map(str, shape))}"
            chunks = {(103,): (10,), (37, 53): (8, 7), (11, 13, 9): (3, 5, 4), (4,): (4,)}[shape]
            for way in ("growing", "extendable", "known", "plain"):
                dataset = file[f"{base}_{way}"]
                grows = way in ("growing", "extendable")
                assert dataset.maxshape == ((None, *shape[1:]) if grows else shape)
                assert dataset.chunks == ((100,) if shape == (4,) and grows else chunks)
                assert filters_of(dataset) == (sums if way == "plain" else deflate), (base, way)
                check_chunks(dataset)
        assert file["zero_growing"].maxshape == (None, 4) and file["zero_growing_columns"].maxshape == (None, 0)
        large = file["large"]
        assert (large.chunks is None) == (name == "plain") and filters_of(large) == deflate
        if name == "gzip":
            assert 2**17 <= large.chunks[0] * 4 <= 2**19
        # libhdf5 itself gives strings no checksum.
        assert filters_of(file["vlen_growing"]) == [one for one in deflate if one != 3]
        assert file["vlen_growing"].maxshape == (None,)
        for path in ("num_i4", "bool", "enum"):
            layout = file[path].id.get_create_plist().get_layout()
            wanted = {"plain": h5py.h5d.CONTIGUOUS, "gzip": h5py.h5d.CONTIGUOUS}.get(name, h5py.h5d.CHUNKED)
            assert layout == wanted
        scalar = file["scalar_i4"].id.get_create_plist()
        assert scalar.get_layout() == (h5py.h5d.COMPACT if name == "sums" else h5py.h5d.CONTIGUOUS)
        assert scalar.fill_value_defined() == h5py.h5d.FILL_VALUE_DEFAULT
        # A signature and a superblock, whose version follows from the size of the index's nodes.
        assert file.id.get_create_plist().get_version()[0] == (1 if name == "sums" else 0)


def check_chunks(dataset):
    """Every chunk by itself, as the library's own list of them says."""
    values = dataset[()]
    found = 0
    for i in range(dataset.id.get_num_chunks()):
        info = dataset.id.get_chunk_info(i)
        part = tuple(slice(o, o + c) for o, c in zip(info.chunk_offset, dataset.chunks))
        np.testing.assert_array_equal(dataset[part], values[part])
        assert dataset.id.get_chunk_info_by_coord(info.chunk_offset).byte_offset == info.byte_offset
        found += values[part].size
    assert found == values.size


def test_every_name_is_found(folder):
    odd = ["a", "B", "ä", "\U00010000", "\ufffd", "\ue000", "..", "a.b", " ", "\n", "%2F", "*", "\\", "é", "e\u0301"]
    with h5py.File(folder / "names.h5") as file:
        for name in (*odd, "x" * 300):
            assert name in file and file[name].attrs[name] == name and file[name][name][()] == 1
        assert set(file) == {*odd, "x" * 300, "deep"}
        assert "/".join(["deep"] * 200) in file
    for name in FILES:
        with h5py.File(folder / f"{name}.h5") as file:
            assert sum(1 for _ in every_name(file)) >= (name != "nothing")


def check_borders(file, added=0):
    for name in file:
        size = name.lstrip("abcdefghijklmnopqrstuvwxyz_")
        if name[0] == "g":
            group, count = file[name], int(size)
            assert len(group) == count + added
            assert all(f"m{i}" in group for i in range(count)) and f"m{count}" not in group
        elif name[0] == "c":
            np.testing.assert_array_equal(file[name][: int(size)], np.arange(int(size)))
        elif name[0] == "d":
            rows, columns = map(int, size.split("x"))
            want = np.arange(rows)[:, None] * 1000 + np.arange(columns)
            np.testing.assert_array_equal(file[name][:rows], want)
        elif name.startswith("attribute"):
            attributes = file[name].attrs
            same(attributes["a"], (noise(int(size)) % 100).astype("<i1"))
            assert attributes["b"] == "beside it"
        elif name.startswith("bytes"):
            same(file[name][()], (noise(int(size)) % 100).astype("<i1"))
        elif name[0] == "h" and size:
            assert file[name][0] == b"b" * int(size)


HEAP_SIZES = (0, 1, 7, 8, 9, 4048, 4056, 4064, 4072, 4080, 65503, 65504, 65512, 65520, 65528, 65535, 65536)


@pytest.mark.parametrize("name", ["borders", "borders_compact"])
def test_borders(folder, tmp_path, name):
    path = tmp_path / "borders.h5"
    shutil.copy(folder / f"{name}.h5", path)
    heap = [b"a" * size for size in (*HEAP_SIZES, 200_000, 2_000_000)]
    with h5py.File(path) as file:
        check_borders(file)
        assert list(file["heap"]) == heap and list(file["heap_single"]) == heap
        assert (file["tiny"][()] == b"x").all() and (file["empty"][()] == b"").all()
    with h5py.File(path, "r+") as file:
        for one in list(file):
            if one[0] == "g":
                for i in range(20):
                    file[one].create_dataset(f"a{i}", data=i)
            elif one[0] == "c":
                count = len(file[one])
                file[one].resize((count + 70,))
                file[one][count:] = 1
        file["heap"][::2] = "changed"
        file["heap_single"][1::2] = "changed"
        file["tiny"][::3] = "y" * 40
        file["empty"][::3] = "z"
    with h5py.File(path) as file:
        check_borders(file, 20)
        assert list(file["heap"][1::2]) == heap[1::2] and list(file["heap_single"][::2]) == heap[::2]
        assert (file["tiny"][1::3] == b"x").all() and (file["tiny"][::3] == b"y" * 40).all()
        assert (file["empty"][1::3] == b"").all() and (file["empty"][::3] == b"z").all()


@pytest.mark.parametrize("name", ["many_chunks", "many_chunks_flat"])
def test_many_chunks(folder, tmp_path, name):
    path = tmp_path / "chunks.h5"
    shutil.copy(folder / f"{name}.h5", path)
    want = (np.arange(200_000) % 30_000).astype("<i2")
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["d"][()], want)
    with h5py.File(path, "r+") as file:
        file["d"].resize((200_500,))
        file["d"][200_000:] = 3
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["d"][:200_000], want)
        assert (file["d"][200_000:] == 3).all()


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("name", KINDS)
def test_h5py_changes_the_file(folder, tmp_path, name, libver):
    path = tmp_path / "changed.h5"
    shutil.copy(folder / f"{name}.h5", path)
    changed = ("bool", "attributes", "inner", "/", "big_200000", "biggroup_5000000", "crowd", "nothing", "loop")
    with h5py.File(path, "r+", libver=libver) as file:
        for one in changed:
            file[one].attrs["added"] = "new value"
            for i in range(30):
                file[one].attrs[f"more{i}"] = np.arange(i)
        file["big_200000"].attrs["huge too"] = np.arange(20_000)
        file.create_dataset("new/deep/data", data=np.arange(10_000), chunks=(100,), compression="gzip")
        file["inner"].create_dataset("z", data=["text"] * 5)
        file["nothing"].create_group("first")
        crowd = file["crowd"]
        for i in range(300):
            crowd.create_dataset(f"member 00500x{i}", data=i)
        for i in range(0, CROWD[name], 37):
            del crowd[f"member {i:05}"]
        for shape, size in (("103", (2000,)), ("37x53", (500, 53)), ("0x4", (50, 4))):
            grown = file[f"chunked{shape}_growing"]
            rows = len(grown)
            grown.resize(size)
            grown[rows:] = 8
        file["chunked11x13x9_growing"].resize((3, 13, 9))
        file["chunked4_growing"][1] = 6
        file["vlen_utf8"][1] = "changed"
        file["vlen_many"][::7] = "longer than before"
        del file["biggroup_200000"].attrs["big"]
        del file["num_i8"]
        del file["many_dense"].attrs["a77"]
        file.move("num_u8", "moved")
    want = kinds()
    moved = want.pop("num_u8")
    for gone in ("num_i8", "vlen_utf8", "vlen_many", "chunked4_growing", "chunked11x13x9_growing"):
        del want[gone]
    grown = {shape: want.pop(f"chunked{shape}_growing") for shape in ("103", "37x53", "0x4")}
    with h5py.File(path) as file:
        check_values(file, want)
        same(file["moved"][()], moved)
        for shape, values in grown.items():
            same(file[f"chunked{shape}_growing"][: len(values)], values)
            assert (file[f"chunked{shape}_growing"][len(values) :] == 8).all()
        assert file["chunked4_growing"][1] == 6 and file["chunked11x13x9_growing"].shape == (3, 13, 9)
        assert file["vlen_utf8"][1] == b"changed"
        words = file["vlen_many"][()]
        assert all(words[i] == (b"longer than before" if i % 7 == 0 else word(i)) for i in range(70_000))
        check_attributes(file)
        for one in changed:
            assert file[one].attrs["added"] == "new value" and len(file[one].attrs["more29"]) == 29
        same(file["big_200000"].attrs["huge too"], np.arange(20_000))
        same(file["big_5000000"].attrs["big"], (noise(625_000) % 100).astype("<i8"))
        assert "big" not in file["biggroup_200000"].attrs and "a77" not in file["many_dense"].attrs
        crowd = file["crowd"]
        assert len(crowd) == CROWD[name] + 300 - len(range(0, CROWD[name], 37)) and crowd["member 00500x299"][()] == 299
        assert file["new/deep/data"][9999] == 9999


def test_what_is_cut_off_does_not_open(folder, tmp_path):
    for name in ("names", "nothing", "all"):
        whole = (folder / f"{name}.h5").read_bytes()
        cuts = {0, 8, 95, 96, 97, 1000, len(whole) // 2, len(whole) - 8, len(whole) - 1}
        cuts |= {int(cut) for cut in np.random.default_rng(1).integers(0, len(whole), 20)}
        for cut in sorted(cut for cut in cuts if cut < len(whole)):
            # Each a path of its own: h5py remembers what it failed to open.
            path = tmp_path / f"{name}-{cut}.h5"
            path.write_bytes(whole[:cut])
            with pytest.raises(OSError):
                h5py.File(path)
            path.unlink()
        base = USER_BLOCKS.get(name, 0)
        unfinished = tmp_path / f"{name}-unfinished.h5"
        unfinished.write_bytes(whole[:base] + bytes(96) + whole[base + 96 :])
        with pytest.raises(OSError, match="signature"):
            h5py.File(unfinished)


missing = [tool for tool in TOOLS if shutil.which(tool) is None]
tools = pytest.mark.skipif(bool(missing), reason=f"hdf5-tools are not installed: {missing}")


def tool(*arguments) -> str:
    run = subprocess.run(list(map(str, arguments)), capture_output=True, timeout=300)
    said = run.stderr.decode(errors="replace")
    assert run.returncode == 0 and "error" not in said.lower(), (arguments, run.stdout[-300:], said[-1500:])
    return run.stdout.decode(errors="replace") + said


@tools
@pytest.mark.parametrize("name", FILES)
def test_the_tools_accept_it(folder, tmp_path, name):
    path = folder / f"{name}.h5"
    tool("h5dump", "-H", "-p", path)
    tool("h5dump", "-o", os.devnull, path)
    tool("h5stat", path)
    tool("h5debug", path)
    packed = tmp_path / "packed.h5"
    # Newer headers: in those of version 1 it has no room for attributes over 64 KiB.
    tool("h5repack", "-L", path, packed)
    run = subprocess.run(["h5diff", "-c", path, packed], capture_output=True, text=True, timeout=300)
    differences = [line for line in run.stdout.splitlines() if not line.endswith("is an empty dataset")]
    # h5repack sets references to null that stand in an attribute of what they lead to, also in files of h5py.
    if name in KINDS:
        assert differences == ["attribute: <loop of </inner>> and <loop of </inner>>", "1 differences found"]
    else:
        assert differences == [] and run.stderr == ""


@tools
@pytest.mark.parametrize("name", KINDS)
def test_h5debug_accepts_the_structures(folder, name):
    path = folder / f"{name}.h5"
    base = USER_BLOCKS[name]
    data = path.read_bytes()[base:]

    def debug(*arguments):
        return tool("h5debug", path, *arguments)

    with h5py.File(path) as file:
        addresses = {one: h5py.h5o.get_info(file[one].id).addr for one in WITH_ATTRIBUTES}
        for one in ("crowd", "bool", "vlen_utf8", "chunked103_growing", "loop", "nothing", "many_dense"):
            addresses[one] = h5py.h5o.get_info(file[one].id).addr
    for one, address in addresses.items():
        debug(address)
        if one in ("crowd", "nothing"):
            kind, size = struct.unpack_from("<HH", data, address + 16)
            assert (kind, size) == (0x11, 16)
            tree, heap = struct.unpack_from("<QQ", data, address + 24)
            debug(tree, heap)
            debug(heap)
        if one == "chunked103_growing":
            at = address + 16
            while struct.unpack_from("<H", data, at)[0] != 0x08:
                at += 8 + struct.unpack_from("<H", data, at + 2)[0]
            (tree,) = struct.unpack_from("<Q", data, at + 8 + 3)
            debug(tree, 1, 10)
        if one == "many_dense":
            at = data.index(b"\x15\x12\x00\x00\x00\x00", address)
            heap, names = struct.unpack_from("<QQ", data, at + 6)
            debug(heap)
            assert data[names : names + 4] == b"BTHD"
