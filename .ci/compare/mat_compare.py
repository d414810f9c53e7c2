"""What mat_stores.py compares, in a process of its own: mat_oracle does the work, and says what it found."""

import os
import shutil
import tempfile
import warnings

import h5py
import numpy as np
from asked import answered, asked, asked_export

SCRIPT = "mat_oracle.py"
PRELOADED = ["mat_oracle", "pyarrow.parquet", "hdf5storage", "mat73", "pymatreader"]
REQUIREMENTS = "requirements-loom-mat.txt"


def run(task: str, *args) -> None:
    import mat_oracle

    warnings.simplefilter("ignore")
    with_known_names()
    answered(TASKS, mat_oracle, task, *args)


def with_known_names() -> None:
    """HDF5 searches a file for the name of an object that was reached by a reference; here it is searched once."""
    from h5py._hl.base import HLObject

    searched, known = HLObject.name, {}

    def names_of(file: h5py.File) -> dict[int, str]:
        names = {}
        h5py.h5o.visit(file.id, lambda path, at: names.setdefault(at.addr, f"/{path.decode()}") and None, info=True)
        return names

    def name(self):
        at = h5py.h5o.get_info(self.id)
        names = known.get(at.fileno) or known.setdefault(at.fileno, names_of(self.file))
        found = names.get(at.addr)
        return searched.fget(self) if found in (None, "/.") else found

    HLObject.name = property(name)


def export(oracle, original: str, folder: str) -> list[str]:
    return asked_export(oracle, SCRIPT, original, folder) + arrays_of_text(original, folder)


def arrays_of_text(original: str, folder: str) -> list[str]:
    """Text of numpy that is stored as code points, without a class of MATLAB: numbers to the oracle, text to hdf5storage."""
    import hdf5storage
    import tables

    problems, tables_of = [], tables.Export(folder)
    with h5py.File(original, "r") as f:
        names = [name for name in f if isinstance(f[name], h5py.Dataset) and is_array_of_text(f[name])]
    for name in names:
        wanted = hdf5storage.read(path=f"/{name}", filename=original).tolist()
        found = tables_of.table(name)["value"].to_pylist()
        problems += [] if found == wanted else [f"hdf5storage {name}: {found}, expected {wanted}"]
    return problems


def is_array_of_text(array: h5py.Dataset) -> bool:
    if array.dtype != np.uint32 or "MATLAB_class" in array.attrs or "Python.Empty" in array.attrs:
        return False
    kinds = [array.attrs.get(name, b"") for name in ("Python.Type", "Python.numpy.UnderlyingType")]
    kind, underlying = (one if isinstance(one, bytes) else str(one).encode() for one in kinds)
    return kind == b"numpy.ndarray" and underlying.startswith(b"str")


def again(oracle, original: str, copy: str) -> list[str]:
    """Where a reader does not understand how the original is stored, the copy must be as one stored as MATLAB does it."""
    problems = same(oracle, original, copy)
    if not problems:
        return []
    with tempfile.TemporaryDirectory() as folder:
        plainer = os.path.join(folder, "plainer.mat")
        if not as_matlab_stores(original, plainer):
            return problems
        return problems + [f"as MATLAB stores it: {one}" for one in same(oracle, plainer, copy)]


def same(oracle, original: str, copy: str) -> list[str]:
    return asked(oracle, SCRIPT, "same", original, copy) + pymatreader(oracle, original, copy)


def pymatreader(oracle, original: str, copy: str) -> list[str]:
    try:
        wanted = oracle.read_pymatreader(original)
    except Exception:  # noqa: BLE001
        return []
    try:
        found = oracle.read_pymatreader(copy)
    except Exception as error:  # noqa: BLE001
        return [f"pymatreader: {type(error).__name__}: {error}"]
    # Where it gives references, the other readers follow them.
    wanted, found = without_references(wanted), without_references(found)
    differences = ((name, oracle.deep(wanted[name], found.get(name), name)) for name in wanted if not name.startswith("#"))
    return [f"pymatreader {name}: {difference}" for name, difference in differences if difference]


def without_references(value):
    if isinstance(value, dict):
        return {name: without_references(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_references(one) for one in value]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [without_references(one) for one in value.reshape(-1)]
    return "reference" if isinstance(value, h5py.Reference) else value


def as_matlab_stores(original: str, plainer: str) -> bool:
    """MATLAB_class as text that ends with its own length, alone, and numbers in the byte order of this machine. Whether
    anything was otherwise."""
    shutil.copyfile(original, plainer)
    os.chmod(plainer, 0o600)
    with h5py.File(plainer, "r+") as f:
        changed = [swapped(f, name) for name in list(f)]
        objects = []
        f.visititems(lambda _, one: objects.append(one) or None)
        changed += [with_own_class(one) for one in objects]
    return any(changed)


def swapped(f: h5py.File, name: str) -> bool:
    array = f[name]
    if not isinstance(array, h5py.Dataset) or array.dtype.byteorder != ">":
        return False
    attributes, values = dict(array.attrs), array[()]
    del f[name]
    made = f.create_dataset(name, data=values.astype(values.dtype.newbyteorder("=")))
    for key, value in attributes.items():
        made.attrs[key] = value
    return True


def with_own_class(one) -> bool:
    if "MATLAB_class" not in one.attrs:
        return False
    kind, value = one.attrs.get_id("MATLAB_class").get_type(), one.attrs["MATLAB_class"]
    is_list = isinstance(value, np.ndarray)
    if not is_list and kind.get_strpad() == h5py.h5t.STR_NULLTERM and kind.get_cset() == h5py.h5t.CSET_ASCII:
        return False
    value = value[0] if is_list else value
    value = value.encode() if isinstance(value, str) else bytes(value)
    text = h5py.h5t.C_S1.copy()
    text.set_size(max(len(value), 1))
    del one.attrs["MATLAB_class"]
    made = h5py.h5a.create(one.id, b"MATLAB_class", text, h5py.h5s.create(h5py.h5s.SCALAR))
    made.write(np.array(value, f"S{max(len(value), 1)}"), mtype=text)
    return True


TASKS = {"export": export, "again": again}
