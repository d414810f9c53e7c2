"""
Runs a sample of the cases in `.ci/run`: a quarter of each test's cases, of slow files an eighth, drawn anew each day, at
least one.
`.ci/run --full` and pytest by hand run all cases. `SAMPLE_SEED=20261123` repeats the sample of a day. After every test
the settings of anndata are what they were.
"""

import math
import os
import random
import sys
from collections import defaultdict
from datetime import datetime, timezone

import pytest

SLOW = {
    "test_companion.py",
    "test_concat.py",
    "test_concat_cases.py",
    "test_kept_chunks.py",
    "test_matlab.py",
    "test_matlab_hdf5storage.py",
    "test_selection.py",
}

is_sampled = os.environ.get("CI") == "true" and not os.environ.get("FULL")
seed = os.environ.get("SAMPLE_SEED") or datetime.now(timezone.utc).strftime("%Y%m%d")


def pytest_report_header():
    return f"a sample: SAMPLE_SEED={seed}" if is_sampled else None


def pytest_collection_modifyitems(config, items):
    if not is_sampled:
        return
    cases = defaultdict(list)
    for item in items:
        cases[item.path.name, item.originalname].append(item)
    left_out = set()
    for test, all_cases in sorted(cases.items()):
        count = math.ceil(len(all_cases) / (8 if test[0] in SLOW else 4))
        drawn = random.Random(f"{seed} {test}").sample(all_cases, count)
        left_out.update(item.nodeid for item in all_cases if item not in drawn)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


SETTINGS = ("allow_write_nullable_strings", "remove_unused_categories", "zarr_write_format")


@pytest.fixture(autouse=True)
def settings_of_anndata():
    """Restores the settings that a test changes: later tests of the process would read and write by them."""
    # Some environments have no anndata, or one without settings.
    settings = getattr(sys.modules.get("anndata"), "settings", None)
    before = {name: getattr(settings, name) for name in SETTINGS if hasattr(settings, name)}
    yield
    for name, value in before.items():
        setattr(settings, name, value)
