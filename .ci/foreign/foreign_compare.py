"""Compares what foreign.mjs read of other projects' files, and counts how all of it ended:
node .ci/foreign/foreign.mjs FOLDER OUT | python .ci/foreign/foreign_compare.py KNOWN [--full] [--write]

Parquet and Arrow files are read by pyarrow, Zarr stores by zarr-python. KNOWN says how many objects of each project are
equal, and how many are refused for which reason; any other number fails, and so does whatever is wrong or ends in an error
without a name. --write writes KNOWN anew. Last line: "N passed, N failed".
"""

import json
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import zarr

Ended = tuple[str, str, int]
"""How, for which reason, how often."""


def theirs(path: str) -> pa.Table:
    if path.endswith(".parquet"):
        # As it lies in the file, whatever is in folders of its name.
        return pq.ParquetFile(path).read()
    if path.endswith(".feather"):
        return feather.read_table(path)
    try:
        return pa.ipc.open_file(path).read_all()
    except pa.ArrowInvalid:
        return pa.ipc.open_stream(path).read_all()


def same(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def compare_table(path: str, ours: str) -> Ended:
    with open(ours, "rb") as stream:
        found = pa.ipc.open_stream(stream).read_all()
    try:
        wanted = theirs(path)
    except Exception as error:  # noqa: BLE001  Whatever pyarrow says: there is nothing to compare with.
        return "refused", f"pyarrow gives up: {type(error).__name__}", 1
    if found.column_names != wanted.column_names:
        return "wrong", f"{path}: columns {found.column_names}, pyarrow has {wanted.column_names}", 1
    for name, a, b in zip(found.column_names, found.columns, wanted.columns, strict=True):
        if a.type == b.type and a.equals(b):
            continue
        try:
            left, right = a.to_pylist(), b.to_pylist()
        except (ValueError, OverflowError, pa.ArrowInvalid):
            # Moments that Python has no value for.
            left, right = a.cast(pa.int64()).to_pylist(), b.cast(pa.int64()).to_pylist()
        if not same(left, right):
            return "wrong", f"{path}: values of {name} ({a.type}, pyarrow has {b.type})", 1
    return "equal", "", found.num_columns


def compare_array(line: dict) -> Ended:
    path, at, ours = line["path"], line["at"], Path(line["ours"]).read_bytes()
    store = zarr.storage.ZipStore(path, mode="r") if path.endswith(".zip") else path
    try:
        array = zarr.open_array(store, path=at or None, mode="r")
        wanted = np.asarray(array[...] if array.shape else array[()])
    except Exception as error:  # noqa: BLE001
        return "refused", f"zarr-python gives up: {type(error).__name__}", 1
    if list(wanted.shape) != line["shape"]:
        return "wrong", f"{path} {at}: shape {line['shape']}, zarr-python has {list(wanted.shape)}", 1
    if line["kind"] == "fixed":
        right = wanted.astype(wanted.dtype.newbyteorder("<")).tobytes()
        return ("equal", "", 1) if ours == right else ("wrong", f"{path} {at}: values", 1)
    count = line["offsets"]
    width = 4 if len(ours) >= 4 * count else 8
    offsets = np.frombuffer(ours[: count * width], "<i4")
    text = ours[count * width :]
    left = [text[offsets[i] : offsets[i + 1]] for i in range(count - 1)]
    right = [one if isinstance(one, bytes) else str(one).encode() for one in wanted.ravel().tolist()]
    return ("equal", "", 1) if left == right else ("wrong", f"{path} {at}: texts", 1)


def ends(line: dict) -> Ended:
    match line["how"]:
        case "table":
            return compare_table(line["path"], line["ours"])
        case "array":
            return compare_array(line)
        case how:
            return how, line.get("reason", ""), line.get("count", 1)


def main() -> int:
    known_file, options = Path(sys.argv[1]), sys.argv[2:]
    counts: Counter[tuple[str, str, str, str]] = Counter()
    problems: list[str] = []
    for text in sys.stdin:
        line = json.loads(text)
        how, reason, count = ends(line)
        if how in ("wrong", "untyped"):
            problems.append(f"{how}: {line['file']}: {reason}")
        else:
            counts[line["size"], line["project"], how, reason] += count
    lines = {" | ".join(key): count for key, count in counts.items()}
    if "--write" in options:
        head = [one for one in known_file.read_text().splitlines() if one.startswith("#")] if known_file.exists() else []
        known_file.write_text("\n".join([*head, *(f"{key} | {lines[key]}" for key in sorted(lines))]) + "\n")
    known = {}
    for text in known_file.read_text().splitlines():
        if text and not text.startswith("#") and ("--full" in options or text.startswith("small")):
            key, _, count = text.rpartition(" | ")
            known[key] = int(count)
    for key in sorted(known.keys() | lines.keys()):
        if known.get(key, 0) != lines.get(key, 0):
            problems.append(f"{key}: {lines.get(key, 0)}, {known_file.name} says {known.get(key, 0)}")
    for problem in problems:
        print(problem)
    for how in ("equal", "refused"):
        print(f"{how}: {sum(count for key, count in counts.items() if key[2] == how)}")
    equal = sum(count for key, count in counts.items() if key[2] == "equal")
    print(f"{equal} passed, {len(problems)} failed")
    return 1 if problems or equal == 0 else 0


sys.exit(main())
