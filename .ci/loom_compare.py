"""What loom_stores.py compares, in a process of its own: loom_oracle does the work, and says what it found."""

import importlib
import sys

from asked import asked

PRELOADED = ["loom_oracle", "h5py", "pyarrow.parquet", "loompy", "loompy.loom_validator"]


def check_packages() -> None:
    for name in PRELOADED:
        try:
            importlib.import_module(name)
        except ImportError as error:
            sys.exit(f"{sys.executable}: {error}; needed is what requirements-loom-mat.txt names")


def run(task: str, *args) -> None:
    """Sends the problems that a task finds through the last of `args`."""
    import loom_oracle

    *args, answer = args
    try:
        answer.send(TASKS[task](loom_oracle, *args))
    except BaseException as error:  # noqa: BLE001
        answer.send([f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"])


def printed(oracle, *command: str) -> list[str]:
    import tables

    # It prints where the standard output was when it was imported.
    oracle.compare_export = lambda *args, **more: tables.compare_export(*args, out=sys.stdout, **more)
    return asked(oracle, "loom_oracle.py", *command)


def export(oracle, original: str, folder: str) -> list[str]:
    """Where the oracle's form of R's logicals is not ours, all else must be as it wants it."""
    problems = printed(oracle, "export", original, folder)
    if not problems:
        return []
    oracle.flat_array = with_logicals_of_r(oracle, oracle.flat_array)
    return problems + [f"with R's logicals as Bool: {one}" for one in printed(oracle, "export", original, folder)]


def with_logicals_of_r(oracle, flat_array):
    """An enum of FALSE, TRUE and NA is a Bool with nulls."""
    import numpy as np
    import pyarrow as pa

    def flat(data, type_id, escaped):
        if type_id.get_class() == oracle.h5py.h5t.ENUM:
            members = {type_id.get_member_name(i): type_id.get_member_value(i) for i in range(type_id.get_nmembers())}
            if members == {b"FALSE": 0, b"TRUE": 1, b"NA": 2}:
                base = np.asarray(data).reshape(-1)
                assert np.isin(base, [0, 1, 2]).all()
                return pa.array(base == 1, mask=base == 2)
        return flat_array(data, type_id, escaped)

    return flat


def again(oracle, original: str, copy: str, version: str) -> list[str]:
    return printed(oracle, "same", original, copy, "--spec", version)


TASKS = {"export": export, "again": again}
