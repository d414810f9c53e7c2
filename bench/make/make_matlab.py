#!/usr/bin/env python3
# /// script
# requires-python = "==3.11.*"
# dependencies = ["h5py==3.16.0", "hdf5storage==0.1.19", "mat73==0.65", "numpy==1.26.4", "pyarrow==21.0.0", "scipy==1.17.1", "setuptools==65.5.0"]
# ///
"""Makes what is missing of FOLDER/{dense,dense.raw,eeg,epochs,epochs.small,sparse,sparse.raw}.mat as MATLAB stores it: make_matlab.py FOLDER

dense: 8,192 x 16,384 doubles (1 GiB), samples of 16 bits times what one of them is worth; chunks of 64 KiB with gzip 3,
raw: contiguous. eeg: one struct as EEGLAB's, whose 960 events and 32 channels are 6,000 values behind references. epochs: the
same with 200 epochs, which are 600 cells; small: a tenth of it. sparse: X of FOLDER/matrix.h5ad, genes x cells, as doubles;
chunks of 64 KiB with gzip 3, raw: contiguous.
"""

import sys
from itertools import count
from pathlib import Path

import h5py
import numpy as np

ROWS, COLUMNS = 8192, 16_384
GZIP = {"compression": "gzip", "compression_opts": 3}
HEADER = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Sun Nov 22 00:00:00 2026 HDF5 schema 1.00 ."


NUMBERS = count()


def described(node, name: str, **more):
    node.attrs["MATLAB_class"] = np.bytes_(name)
    for key, value in more.items():
        node.attrs[f"MATLAB_{key}"] = value
    return node


def put(group, name: str, value):
    """A value as MATLAB stores it; dimensions stand in reverse order."""
    if isinstance(value, str):
        units = np.frombuffer(value.encode("utf-16-le"), "u2")
        if len(units) == 0:
            sizes = group.create_dataset(name, data=np.zeros(2, "u8"))
            return described(sizes, "char", empty=np.uint8(1), int_decode=np.int32(2))
        return described(group.create_dataset(name, data=units[:, None]), "char", int_decode=np.int32(2))
    if isinstance(value, dict):
        struct = described(group.create_group(name), "struct")
        listed(struct, list(value))
        for field, one in value.items():
            put(struct, field, one)
        return struct
    if isinstance(value, list) and value and isinstance(value[0], dict):
        struct = described(group.create_group(name), "struct")
        listed(struct, list(value[0]))
        for field in value[0]:
            struct.create_dataset(field, data=references(group, [element[field] for element in value]))
        return struct
    if isinstance(value, list):
        return described(group.create_dataset(name, data=references(group, value)), "cell")
    array = np.atleast_2d(np.asarray(value, "f8"))
    if array.size == 0:
        return described(group.create_dataset(name, data=np.zeros(2, "u8")), "double", empty=np.uint8(1))
    chunks = {"chunks": (min(array.shape[1], 128), min(array.shape[0], 64)), **GZIP} if array.nbytes > 10_000 else {}
    return described(group.create_dataset(name, data=array.T, **chunks), "double")


def listed(struct, fields) -> None:
    names = np.empty(len(fields), object)
    for i, field in enumerate(fields):
        names[i] = np.array([letter.encode() for letter in field], "S1")
    struct.attrs.create("MATLAB_fields", names, dtype=h5py.vlen_dtype(np.dtype("S1")))


def references(group, values):
    refs = group.file.require_group("#refs#")
    found = [put(refs, letters(next(NUMBERS)), value).ref for value in values]
    return np.array(found, h5py.ref_dtype)[:, None]


def letters(index: int) -> str:
    """a … z, A … Z, aa …: how MATLAB names what references lead to."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name = ""
    while True:
        name = alphabet[index % 52] + name
        index = index // 52 - 1
        if index < 0:
            return name


def eeg(events: int, channels: int, epochs: int) -> dict:
    rng = np.random.default_rng(73)
    times = np.sort(rng.integers(0, 300_000, events)).astype("f8")
    types = ["square", "rt", "stimulus, left", "boundary"]
    event = [
        {
            "type": types[int(rng.integers(4))],
            "latency": times[i],
            "duration": float(rng.integers(0, 50)),
            "position": float(rng.integers(1, 3)) if i % 5 else np.zeros(0),
            "urevent": float(i + 1),
            "epoch": float(i * max(1, epochs) // events + 1),
        }
        for i in range(events)
    ]
    angles = rng.random((channels, 2)) * 2 * np.pi
    chanlocs = [
        {
            **{"labels": f"E{i + 1}", "ref": "", "theta": theta * 180 / np.pi, "radius": phi / 6},
            **{"X": np.cos(theta), "Y": np.sin(theta), "Z": np.cos(phi), "sph_theta": -theta, "sph_phi": phi},
            **{"sph_radius": 85.0, "type": "EEG", "urchan": float(i + 1)},
        }
        for i, (theta, phi) in enumerate(angles)
    ]
    epoch = [
        {
            "event": [float(3 * i + k + 1) for k in range(2)],
            "eventlatency": [float(latency) for latency in rng.integers(-1000, 2000, 2)],
            "eventtype": [types[int(kind)] for kind in rng.integers(0, 4, 2)],
        }
        for i in range(epochs)
    ]
    return {
        **{"setname": "continuous data", "filename": "eeg.set", "subject": "", "nbchan": float(channels), "trials": 1.0},
        **{"pnts": 4096.0, "srate": 128.0, "xmin": 0.0, "xmax": 31.99, "times": np.arange(4096.0) / 0.128},
        "data": rng.integers(-2000, 2000, (channels, 4096)) * 0.0488,
        **{"icaweights": rng.normal(size=(32, channels)), "chanlocs": chanlocs, "event": event, "epoch": epoch or np.zeros((0, 0))},
        **{"history": "pop_loadset; pop_epoch", "etc": {"version": "2024.0", "steps": ["filter", "reref", "epoch"]}},
    }


def dense(file: h5py.File, **kinds) -> None:
    chunks = {"chunks": (128, 64), **GZIP} if kinds["packed"] else {}
    stored = described(file.create_dataset("m", (COLUMNS, ROWS), "f8", **chunks), "double")
    rng = np.random.default_rng(73)
    for column in range(0, COLUMNS, 1024):
        stored[column : column + 1024] = rng.normal(0, 300, (1024, ROWS)).round() * 0.0488


def sparse(file: h5py.File, folder: Path, **kinds) -> None:
    chunks = {"chunks": (8192,), **GZIP} if kinds["packed"] else {}
    with h5py.File(folder / "matrix.h5ad") as source:
        x = source["X"]
        group = described(file.create_group("s"), "double", sparse=np.uint64(x.attrs["shape"][1]))
        names = [("data", "data", "f8"), ("indices", "ir", "u8"), ("indptr", "jc", "u8")]
        for name, member, dtype in names:
            group.create_dataset(member, data=x[name][:].astype(dtype), **chunks)


def main(folder: Path) -> None:
    makers = {
        "dense.raw": lambda file: dense(file, packed=False),
        "dense": lambda file: dense(file, packed=True),
        "eeg": lambda file: put(file, "EEG", eeg(960, 32, 0)),
        "epochs": lambda file: put(file, "EEG", eeg(640, 64, 200)),
        "epochs.small": lambda file: put(file, "EEG", eeg(64, 8, 20)),
        "sparse.raw": lambda file: sparse(file, folder, packed=False),
        "sparse": lambda file: sparse(file, folder, packed=True),
    }
    for name, make in makers.items():
        target = folder / f"{name}.mat"
        if target.exists():
            continue
        part = folder / f"unfinished.{name}.mat"
        with h5py.File(part, "w", userblock_size=512, libver="earliest") as file:
            make(file)
            referred = len(file["#refs#"]) if "#refs#" in file else 0
        with open(part, "r+b") as file:
            file.write(HEADER.ljust(124) + b"\x00\x02IM")
        part.rename(target)
        print(target, f"{referred} objects behind references" if referred else "")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
