"""Plain HDF5 and Zarr of netCDF4, xarray, PyTables, pandas and h5py: the values that these libraries read, column for column,
and what we write, as they read it."""

import importlib.util
import json
import os
import subprocess
from pathlib import Path

import pytest

if importlib.util.find_spec("netCDF4") is None:
    assert os.environ.get("PLAIN") != "required", "PLAIN=required, but there is no netCDF4"
    pytest.skip("no netCDF4", allow_module_level=True)

import h5py
import netCDF4
import numpy as np
import pandas as pd
import pyarrow.ipc as ipc
import tables
import xarray as xr
import zarr

CLI = ["node", str(Path(__file__).resolve().parents[2] / "dist/cli/main.js")]
SEEDS = range(12)
pytestmark = pytest.mark.filterwarnings("ignore")


def annarrow(*arguments) -> str:
    run = subprocess.run([*CLI, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stderr


def tables_of(path: Path, folder: Path, *options) -> dict:
    """All tables of a file, as Arrow."""
    out = folder / f"tables{len(list(folder.iterdir()))}"
    annarrow("convert", path, out, "--to", "arrow", *options)
    manifest = json.loads((out / "manifest.json").read_text())
    listed = [table for table in manifest["tables"] if not table.get("derived")]
    return {table["name"]: ipc.open_file(out / table["file"]).read_all() for table in listed}


def rows(values, missing=None) -> list:
    """Rows of an array, with None where the mask has True."""
    values = np.asarray(values)
    if values.ndim == 0:
        values = values.reshape(1)
    mask = np.zeros(values.shape, bool) if missing is None else np.broadcast_to(missing, values.shape)
    if values.dtype.kind == "M":
        mask = mask | np.isnat(values)
        values = values.astype("M8[us]").astype("i8")

    def nest(own, holes):
        if not isinstance(own, list):
            return None if holes else own
        return [nest(one, hole) for one, hole in zip(own, holes)]

    return nest(values.tolist(), mask)


def found(table, name="value") -> list:
    column = table.column(name)
    if str(column.type).startswith("timestamp"):
        return column.cast("timestamp[us]").cast("int64").to_pylist()
    return column.to_pylist()


def same(own, wanted, what="") -> None:
    """Equal nested lists; NaN equals NaN."""
    if isinstance(wanted, list):
        assert isinstance(own, list) and len(own) == len(wanted), what
        for one, other in zip(own, wanted):
            same(one, other, what)
    elif isinstance(wanted, float) and np.isnan(wanted):
        assert own is not None and np.isnan(own), (what, own)
    else:
        assert own == wanted, (what, own, wanted)


INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def random_netcdf(path: Path, seed: int) -> None:
    """Variables of random types, dimensions, storage and packing, in groups."""
    rng = np.random.default_rng(seed)
    with netCDF4.Dataset(path, "w") as ds:
        sizes = {"time": None, "y": 3, "x": 4}
        for name, size in sizes.items():
            ds.createDimension(name, size)
        lengths = {"time": 5, "y": 3, "x": 4}
        for i in range(10):
            group = ds if i % 3 else ds.createGroup(f"group{i}/inner")
            kind = rng.choice([*INTEGERS, "f4", "f8"])
            dimensions = [("time", "y", "x"), ("y", "x"), ("x",), ("time",), ("x", "y", "x")][rng.integers(5)]
            shape = [lengths[name] for name in dimensions]
            values = rng.integers(0, 100, shape).astype(kind)
            options = {}
            if rng.random() < 0.6:
                options["fill_value"] = np.array(rng.integers(0, 100), kind)
            if rng.random() < 0.5:
                options |= {"zlib": True, "shuffle": bool(rng.random() < 0.5), "fletcher32": bool(rng.random() < 0.5)}
            if rng.random() < 0.3:
                options["endian"] = "big"
            variable = group.createVariable(f"v{i}", kind, dimensions, **options)
            variable.set_auto_maskandscale(False)
            if rng.random() < 0.4:
                variable.missing_value = np.array(rng.integers(0, 100), kind)
            if rng.random() < 0.5:
                variable.scale_factor = float(rng.choice([0.5, 0.01, 3.0]))
            if rng.random() < 0.4:
                variable.add_offset = float(rng.choice([-10.0, 273.15]))
            if kind in ("i1", "i2", "i4") and rng.random() < 0.3:
                variable._Unsigned = "true"
                values = -values
            variable[:] = values


@pytest.mark.parametrize("seed", SEEDS)
def test_variables_of_netcdf4(tmp_path, seed):
    path = tmp_path / "random.nc"
    random_netcdf(path, seed)
    raw, cf = tables_of(path, tmp_path), tables_of(path, tmp_path, "--cf")
    count = 0
    with netCDF4.Dataset(path) as ds:
        groups = [ds]
        while groups:
            group = groups.pop()
            groups += group.groups.values()
            for name, variable in group.variables.items():
                table = f"{group.path.strip('/')}/{name}".lstrip("/")
                variable.set_auto_maskandscale(False)
                same(found(raw[table]), rows(variable[:]), table)
                variable.set_auto_maskandscale(True)
                variable.set_always_mask(True)
                decoded = variable[:]
                same(found(cf[table]), rows(decoded.data, decoded.mask), table)
                metadata = json.loads(raw[table].schema.metadata[b"annarrow"])
                assert metadata["dimensions"] == list(variable.dimensions)
                count += 1
    assert count == len(raw) == len(cf) == 10


UNITS = ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds"]
DATES = ["2000-01-01", "1970-01-01 00:00:00", "1900-1-1", "1850-06-15T12:30:15.5", "2001-02-03 04:05:06 +05:30"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("calendar", ["standard", "gregorian", "proleptic_gregorian"])
def test_times(tmp_path, unit, calendar):
    rng = np.random.default_rng(len(unit) + len(calendar))
    path = tmp_path / "times.nc"
    with netCDF4.Dataset(path, "w") as ds:
        ds.createDimension("n", 20)
        for i, date in enumerate(DATES):
            for kind in ("i8", "f8", "i4"):
                values = rng.integers(-20000, 20000, 20)
                variable = ds.createVariable(f"t{i}{kind}", kind, "n", fill_value=np.array(-99999, kind))
                variable.units, variable.calendar = f"{unit} since {date}", calendar
                variable[:] = values / 8 if kind == "f8" and unit in UNITS[:4] else values
                variable[3] = -99999
    cf = tables_of(path, tmp_path, "--cf")
    with xr.open_dataset(path, decode_times=xr.coders.CFDatetimeCoder(time_unit="us")) as ds:
        assert len(cf) == len(ds.variables) == 3 * len(DATES)
        for name, variable in ds.variables.items():
            assert variable.dtype.kind == "M", name
            same(found(cf[name]), rows(variable.values), name)


@pytest.mark.parametrize("calendar", ["noleap", "360_day", "julian", "all_leap"])
def test_other_calendars_stay_numbers(tmp_path, calendar):
    path = tmp_path / "times.nc"
    with netCDF4.Dataset(path, "w") as ds:
        ds.createDimension("n", 3)
        variable = ds.createVariable("t", "f8", "n")
        variable.units, variable.calendar = "days since 2000-01-01", calendar
        variable[:] = [0, 1, 2.5]
    assert f'the calendar "{calendar}" has no Arrow type' in annarrow("convert", path, tmp_path / "t.parquet", "--table", "t", "--cf")
    assert found(tables_of(path, tmp_path, "--cf")["t"]) == [0, 1, 2.5]


def dataset(seed: int) -> xr.Dataset:
    rng = np.random.default_rng(seed)
    holes = rng.random(6)
    holes[rng.integers(6)] = np.nan
    return xr.Dataset(
        {
            "grid": (("x", "time"), rng.random((6, 4)).astype("f4")),
            "holes": (("x",), holes),
            "packed": (("time",), np.array([0.5, np.nan, 1.5, 2])),
            "whole": (("time", "x"), rng.integers(0, 9, (4, 6))),
            "flag": (("x",), rng.random(6) < 0.5),
            "text": (("x",), np.array(["a", "é", "", "d", "e", "f"], object)),
            "one": ((), 7),
        },
        coords={"time": pd.date_range("2020-01-01", periods=4, freq="90min"), "x": np.arange(6) * 10},
        attrs={"title": "made"},
    )


STORES = {
    "netcdf4": lambda ds, path, encoding: ds.to_netcdf(path, engine="netcdf4", encoding=encoding),
    "h5netcdf": lambda ds, path, encoding: ds.to_netcdf(path, engine="h5netcdf", encoding=encoding),
    "zarr2": lambda ds, path, encoding: ds.to_zarr(path, zarr_format=2, encoding=encoding),
    "zarr3": lambda ds, path, encoding: ds.to_zarr(path, zarr_format=3, encoding=encoding),
}


def made_store(kind: str, ds: xr.Dataset, folder: Path) -> Path:
    path = folder / ("made.zarr" if kind.startswith("zarr") else "made.nc")
    STORES[kind](ds, path, {"packed": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1}})
    return path


def opened(path: Path) -> xr.Dataset:
    own = xr.open_zarr(path, consolidated=False) if path.suffix == ".zarr" else xr.open_dataset(path)
    return own.load()


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("seed", range(3))
def test_datasets_of_xarray(tmp_path, kind, seed):
    path = made_store(kind, dataset(seed), tmp_path)
    cf = tables_of(path, tmp_path, "--cf")
    wanted = opened(path)
    assert set(cf) == set(wanted.variables)
    for name, variable in wanted.variables.items():
        missing = np.isnan(variable.values) if variable.dtype.kind == "f" else None
        # xarray stores booleans of NetCDF as integers of 8 bits, which equal them.
        same(found(cf[name]), rows(variable.values, missing), name)
        metadata = json.loads(cf[name].schema.metadata[b"annarrow"])
        assert metadata.get("dimensions", []) == list(variable.dims)


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("version", ["2", "3"])
def test_xarray_reads_the_zarr_that_we_write(tmp_path, kind, version):
    path = made_store(kind, dataset(1).drop_vars("flag"), tmp_path)
    out = tmp_path / "out.zarr"
    annarrow("convert", path, out, "--zarr-format", version)
    xr.testing.assert_equal(opened(out), opened(path))


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
def test_xarray_and_h5py_read_the_hdf5_that_we_write(tmp_path, kind, engine):
    # flag: HDF5's booleans are enums, which netCDF4 has no array of. holes: a dimension without coordinates.
    made = dataset(2).drop_vars("flag").assign(bare=(("x", "nowhere"), np.arange(18).reshape(6, 3)))
    path = made_store(kind, made, tmp_path)
    out = tmp_path / "out.h5"
    annarrow("convert", path, out, "--to", "hdf5")
    own = xr.open_dataset(out, engine=engine).load()
    wanted = opened(path)
    xr.testing.assert_equal(own, wanted)
    assert {name: own[name].dims for name in own.variables} == {name: wanted[name].dims for name in wanted.variables}
    assert "nowhere" not in own.variables and own.sizes["nowhere"] == 3
    with h5py.File(out) as f:
        assert f["x"].is_scale and not f["grid"].is_scale
        assert [list(dimension.keys()) for dimension in f["grid"].dims] == [["x"], ["time"]]
        np.testing.assert_array_equal(f["grid"].dims[0][0][()], f["x"][()])
        assert f["bare"].dims[1][0].name == "/nowhere"
    # Once more, the file is the same.
    again = tmp_path / "again.h5"
    annarrow("convert", out, again, "--to", "hdf5")
    xr.testing.assert_equal(xr.open_dataset(again, engine=engine).load(), wanted)


def test_netcdf4_reads_the_dimensions_of_groups_that_we_write(tmp_path):
    path, out = tmp_path / "in.nc", tmp_path / "out.h5"
    with netCDF4.Dataset(path, "w") as ds:
        ds.createDimension("time", 4)
        ds.createDimension("unused", 5)
        ds.createVariable("time", "f8", "time")[:] = range(4)
        for name, size in {"a/b": 3, "c": 2}.items():
            group = ds.createGroup(name)
            group.createDimension("x", size)
            group.createVariable("x", "i4", "x")[:] = range(size)
            group.createVariable("v", "i2", ("time", "x", "x"))[:] = np.arange(4 * size * size).reshape(4, size, size)
    annarrow("convert", path, out, "--to", "hdf5")
    with netCDF4.Dataset(out) as ds:
        assert {name: len(one) for name, one in ds.dimensions.items()} == {"time": 4, "unused": 5}
        for name, size in {"a/b": 3, "c": 2}.items():
            assert {key: len(one) for key, one in ds[name].dimensions.items()} == {"x": size}
            assert ds[f"{name}/v"].dimensions == ("time", "x", "x")
            np.testing.assert_array_equal(ds[f"{name}/v"][:], np.arange(4 * size * size).reshape(4, size, size))


def test_several_scales_of_a_dimension(tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["lon"], f["lon_name"], f["v"] = np.arange(3.0), np.arange(3), np.zeros((3, 2))
        for name in ["lon", "lon_name"]:
            f[name].make_scale(name)
            f["v"].dims[0].attach_scale(f[name])
        assert list(f["v"].dims[0]) == ["lon", "lon_name"]
    told = annarrow("convert", tmp_path / "in.h5", tmp_path / "out.h5", "--to", "hdf5")
    assert "v: dimension 0 has the scales lon, lon_name: it is called by the first, and not tied to the others" in told
    with h5py.File(tmp_path / "out.h5") as f:
        assert list(f["v"].dims[0]) == ["lon"]
        assert f["lon_name"][:].tolist() == [0, 1, 2]


def test_text_of_fixed_width_in_records_of_zarr(tmp_path):
    records = np.array([(1, "z\u00e9"), (2, ""), (3, "\U0001f600ab")], dtype=[("n", "<i4"), ("u", "<U3")])
    group = zarr.open_group(tmp_path / "in.zarr", mode="w", zarr_format=3)
    group.create_array("r", shape=records.shape, dtype=records.dtype)[:] = records
    found = tables_of(tmp_path / "in.zarr", tmp_path)["r"]
    assert found.column("n").to_pylist() == records["n"].tolist()
    assert found.column("u").to_pylist() == records["u"].tolist()
    annarrow("convert", tmp_path / "in.zarr", tmp_path / "out.zarr", "--zarr-format", "3")
    again = zarr.open_group(tmp_path / "out.zarr", mode="r")["r"]
    assert again.dtype == records.dtype
    assert (again[:] == records).all()


def test_scales_and_labels_of_h5py(tmp_path):
    path, out = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(path, "w") as f:
        f["scales/x"] = np.arange(3.0)
        f["scales/x"].make_scale("the x")
        f["data/v"] = np.arange(12).reshape(3, 4)
        f["data/v"].dims[0].attach_scale(f["scales/x"])
        f["data/w"] = np.arange(4)
        f["data/w"].dims[0].label = "data/label"
        f["data/u"] = np.arange(2)
        f["data/u"].dims[0].label = "w"
    annarrow("convert", path, out, "--to", "hdf5")
    with h5py.File(out) as f:
        assert f["data/v"].dims[0][0] == f["scales/x"]
        assert len(f["data/v"].dims[1]) == 0
        # A name that is no name of an array, and one that another array has, stay labels.
        assert f["data/w"].dims[0].label == "data/label"
        assert f["data/u"].dims[0].label == "w"
        assert set(f["data"]) == {"u", "v", "w"}


class Inner(tables.IsDescription):
    y = tables.Int16Col()
    z = tables.StringCol(3)


class Record(tables.IsDescription):
    i = tables.Int64Col()
    u = tables.UInt8Col()
    f = tables.Float32Col(shape=(2,))
    s = tables.StringCol(6)
    b = tables.BoolCol()
    c = tables.ComplexCol(16)
    t = tables.Time64Col()
    d = tables.Time32Col()
    e = tables.EnumCol(["red", "green"], "red", base="int16")
    inner = Inner()


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_of_pytables(tmp_path, seed):
    rng = np.random.default_rng(seed)
    path = tmp_path / "tables.h5"
    with tables.open_file(path, "w") as f:
        filters = tables.Filters(complevel=seed % 4, complib=["zlib", "blosc", "lzo" if tables.which_lib_version("lzo") else "zlib", "bzip2"][seed % 4])
        table = f.create_table("/deep/group", "table", Record, filters=filters, createparents=True, chunkshape=7)
        values = np.zeros(30, table.dtype)
        for name in ("i", "u", "f", "b", "d", "e"):
            values[name] = rng.integers(0, 2 if name in "be" else 100, values[name].shape)
        values["c"] = rng.random(30) + 1j * rng.random(30)
        values["t"] = np.round(rng.random(30) * 2e9 - 1e9, 6)
        values["s"] = rng.choice([b"", b"a", b"abcdef"], 30)
        values["inner"]["y"] = rng.integers(-9, 9, 30)
        table.append(values)
        table.flush()
        table.cols.i.create_index(_blocksizes=(512, 256, 128, 64))
    own = tables_of(path, tmp_path)
    assert set(own) == {"deep/group/table"}
    table = own["deep/group/table"]
    with tables.open_file(path) as f:
        read = f.root.deep.group.table.read()
    for name in ("i", "u", "f", "b"):
        same(found(table, name), rows(read[name]), name)
    assert found(table, "s") == [one.decode() for one in read["s"]]
    assert found(table, "c") == [{"real": one.real, "imag": one.imag} for one in read["c"].tolist()]
    assert found(table, "t") == np.round(read["t"] * 1e6).astype("i8").tolist()
    assert found(table, "d") == (read["d"].astype("i8") * 1_000_000).tolist()
    assert found(table, "e") == [["red", "green"][one] for one in read["e"].tolist()]
    assert found(table, "inner") == [{"y": int(one["y"]), "z": one["z"].decode()} for one in read["inner"]]


def test_arrays_of_pytables(tmp_path):
    path = tmp_path / "arrays.h5"
    with tables.open_file(path, "w") as f:
        lists = f.create_vlarray("/", "lists", tables.Float32Atom())
        for values in ([1, 2.5], [], [3]):
            lists.append(values)
        text = f.create_vlarray("/", "text", tables.VLUnicodeAtom())
        for value in ("é\U0001f9ec", ""):
            text.append(value)
        f.create_array("/", "flags", np.array([[True, False], [False, True]]))
        times = f.create_earray("/", "times", tables.Time64Atom(), (0,))
        times.append(np.array([1.5, -2.25, -0.5]))
        f.create_vlarray("/", "objects", tables.ObjectAtom()).append({"a": 1})
    out = tmp_path / "out"
    said = annarrow("convert", path, out, "--to", "arrow", "--lossy")
    assert "objects" in said and "ObjectAtom" in said
    read = lambda name: ipc.open_file(out / f"{name}.arrow").read_all()
    assert found(read("lists")) == [[1, 2.5], [], [3]]
    assert found(read("text")) == ["é\U0001f9ec", ""]
    assert found(read("flags")) == [[True, False], [False, True]]
    assert found(read("times")) == [1_500_000, -2_250_000, -500_000]


@pytest.mark.parametrize("form", ["fixed", "table"])
def test_frames_of_pandas(tmp_path, form):
    frame = pd.DataFrame(
        {"a": [1, 2, 3], "b": [0.5, np.nan, 2], "t": pd.date_range("2020-01-01", periods=3, tz="UTC")},
        index=pd.Index([10, 20, 30], name="k"),
    )
    path = tmp_path / "store.h5"
    frame.to_hdf(path, key="deep/frame", format=form)
    own = tables_of(path, tmp_path)["deep/frame"].to_pandas()
    pd.testing.assert_frame_equal(own, pd.read_hdf(path, "deep/frame"), check_dtype=False)


def test_pytables_reads_what_we_write(tmp_path):
    path = tmp_path / "given.h5"
    with h5py.File(path, "w") as f:
        f["group/numbers"] = np.arange(12.0).reshape(3, 4)
        f["group/records"] = np.array([(1, 2.5, b"ab"), (3, 4.5, b"c")], [("i", "i4"), ("f", "f8"), ("s", "S2")])
        f["scalar"] = 5
    out = tmp_path / "out.h5"
    annarrow("convert", path, out, "--to", "hdf5")
    with tables.open_file(out) as f, h5py.File(path) as given:
        np.testing.assert_array_equal(f.root.group.numbers.read(), given["group/numbers"][()])
        np.testing.assert_array_equal(f.root.group.records.read(), given["group/records"][()])
        assert f.root.scalar.read() == 5


@pytest.mark.parametrize("output", ["out.h5", "out.zarr"])
def test_frames_of_arrays_are_written_as_arrays(tmp_path, output):
    path = tmp_path / "given.h5"
    with h5py.File(path, "w") as f:
        f["entry/time"] = np.arange(5.0)
        f["entry/counts"] = np.arange(10).reshape(5, 2)
        f["entry/name"] = np.array(list("abcde"), h5py.string_dtype())
        f["entry/time"].attrs["units"] = "s"
    own = tables_of(path, tmp_path, "--frame", "entry")["entry"].to_pydict()
    assert own == {"counts": np.arange(10).reshape(5, 2).tolist(), "name": list("abcde"), "time": [0, 1, 2, 3, 4]}
    out = tmp_path / output
    annarrow("convert", path, out, "--frame", "entry", *([] if output.endswith("zarr") else ["--to", "hdf5"]))
    if output.endswith("zarr"):
        import zarr

        group = zarr.open_group(out, mode="r")["entry"]
        read = {name: array[:] for name, array in group.arrays()}
    else:
        with h5py.File(out) as f:
            read = {name: array.asstr()[:] if name == "name" else array[:] for name, array in f["entry"].items()}
            assert f["entry/time"].attrs["units"] == "s"
    assert {name: values.tolist() for name, values in read.items()} == own
