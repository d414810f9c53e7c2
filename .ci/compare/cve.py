"""Compares what .ci/cve.mjs read of files that were made to break libhdf5 with what libhdf5 itself reads:
python .ci/compare/cve.py FOLDER OUT KNOWN [--write]

libhdf5 may crash or hang at these files, so each is read in a process of its own, which has ten seconds. KNOWN says how the
objects of each file end: equal, refused for which reason, read where libhdf5 refuses, different for a reason in its comments;
any other number fails. --write writes KNOWN anew, and keeps its comments. Last line: "N passed, N failed".
"""

import base64
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import h5py
import numpy as np

SECONDS = 10
MAX_VALUES = 2**22


def little(values: np.ndarray) -> bytes:
    return np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()


def same(ours: dict, values: np.ndarray) -> bool | None:
    """None where the two forms are not compared here."""
    dtype = values.dtype
    match ours["kind"]:
        case "fixed":
            return base64.b64decode(ours["bytes"]) == little(values) if dtype.kind in "biufcV" and dtype.names is None else None
        case "variable":
            text, offsets = base64.b64decode(ours["bytes"]), ours["offsets"]
            if dtype.kind not in "SO" or h5py.check_ref_dtype(dtype) or (h5py.check_vlen_dtype(dtype) not in (None, bytes, str)):
                return None
            found = [text[a:b] for a, b in zip(offsets, offsets[1:])]
            wanted = [one.encode("utf-8", "surrogateescape") if isinstance(one, str) else bytes(one) for one in values.ravel().tolist()]
            return [one.rstrip(b"\0") for one in found] == [one.rstrip(b"\0") for one in wanted]
        case "record":
            if dtype.names is None or len(dtype.names) != len(ours["fields"]):
                return None
            each = [same(field, values[name]) for field, name in zip(ours["fields"], dtype.names, strict=True)]
            return False if False in each else None if None in each else True
        case "sequence":
            if dtype.kind != "O" or h5py.check_vlen_dtype(dtype) is None or ours["values"]["kind"] != "fixed":
                return None
            rows = [np.asarray(row) for row in values.ravel().tolist()]
            lengths = list(np.diff(ours["offsets"]))
            joined = np.concatenate(rows) if rows else np.zeros(0)
            return lengths == [len(row) for row in rows] and same(ours["values"], joined)
    return None


def compare(path: str, objects: dict) -> list[tuple[str, str]]:
    """How each object ended, and for which reason."""
    ends: list[tuple[str, str]] = []
    with h5py.File(path, "r") as file:
        for name, ours in objects.items():
            try:
                theirs = file[name]
                shape = [*theirs.shape, *theirs.id.dtype.shape] if isinstance(theirs, h5py.Dataset) and theirs.shape is not None else None
                if shape is None or np.prod(shape, dtype=float) > MAX_VALUES:
                    ends.append(("refused" if "refused" in ours else "equal", ours.get("refused", "")))
                    continue
                values = np.asarray(theirs[()])
            except Exception:  # noqa: BLE001  Whatever libhdf5 says: there is nothing to compare with.
                ends.append(("refused", "libhdf5 refuses it, too") if "refused" in ours else ("read", "libhdf5 refuses it"))
                continue
            if "refused" in ours:
                ends.append(("refused", ours["refused"]))
            elif ours.get("shape") != shape:
                ends.append(("differs", f"{name}: shape {ours.get('shape')}, libhdf5 has {shape}"))
            else:
                equal = same(ours["values"], values)
                ends.append(("equal", "") if equal else ("refused", "not compared here") if equal is None else ("differs", f"{name}: values"))
    return ends


def in_process(path: str, objects: dict) -> list[tuple[str, str]]:
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        signal.alarm(SECONDS)
        try:
            ends = compare(path, objects)
        except Exception:  # noqa: BLE001
            ends = [("refused", "libhdf5 does not open the file")]
        with os.fdopen(there, "w") as out:
            json.dump(ends, out)
        os._exit(0)
    os.close(there)
    with os.fdopen(here) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    return [(how, why) for how, why in json.loads(text)] if status == 0 else [("refused", "libhdf5 crashes or hangs")]


def known_counts(file: Path) -> dict[str, int]:
    lines = (line for line in file.read_text().splitlines() if not line.startswith("#"))
    return {key: int(count) for key, _, count in (line.rpartition(" | ") for line in lines)}


def main() -> int:
    folder, out, known_file = map(Path, sys.argv[1:4])
    found: Counter[str] = Counter()
    for name, objects in json.loads(out.read_text()).items():
        for how, why in in_process(str(folder / name), objects):
            found[f"{name} | {how} | {why}".rstrip(" |")] += 1
    if "--write" in sys.argv:
        head = [line for line in known_file.read_text().splitlines() if line.startswith("#")]
        known_file.write_text("\n".join([*head, *(f"{key} | {count}" for key, count in sorted(found.items()))]) + "\n")
    known = known_counts(known_file)
    problems = [
        f"{key}: {found.get(key, 0)}, {known_file.name} says {known.get(key, 0)}"
        for key in sorted(found.keys() | known.keys())
        if found.get(key, 0) != known.get(key, 0)
    ]
    totals: Counter[str] = Counter()
    for key, count in found.items():
        totals[key.split(" | ")[1]] += count
    for line in [*problems, *(f"{how}: {count}" for how, count in sorted(totals.items()))]:
        print(line)
    print(f"{totals['equal']} passed, {len(problems)} failed")
    return 1 if problems or totals["equal"] == 0 else 0


sys.exit(main())
