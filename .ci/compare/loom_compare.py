"""What loom_stores.py compares, in a process of its own: loom_oracle does the work, and says what it found."""

from asked import answered, asked, asked_export

SCRIPT = "loom_oracle.py"
PRELOADED = ["loom_oracle", "h5py", "pyarrow.parquet", "loompy", "loompy.loom_validator"]
REQUIREMENTS = "requirements-loom-mat.txt"


def run(task: str, *args) -> None:
    import loom_oracle

    answered(TASKS, loom_oracle, task, *args)


def export(oracle, original: str, folder: str) -> list[str]:
    """Where the oracle's form of R's logicals is not ours, all else must be as it wants it."""
    problems = asked_export(oracle, SCRIPT, original, folder)
    if not problems:
        return []
    oracle.flat_array = with_logicals_of_r(oracle, oracle.flat_array)
    return problems + [f"with R's logicals as Bool: {one}" for one in asked_export(oracle, SCRIPT, original, folder)]


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
    return asked(oracle, SCRIPT, "same", original, copy, "--spec", version)


TASKS = {"export": export, "again": again}
