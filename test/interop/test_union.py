"""`annarrow union` beside `anndata.concat(join="outer")`: the files of a union, read by pyarrow, have the same rows, whatever
the tasks were, and an .h5ad of the union has the same values."""

import hashlib
import json
import random
import re
import subprocess
import time
from pathlib import Path

import anndata as ad
import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

ROOT = Path(__file__).resolve().parents[2]
CLI = ["node", str(ROOT / "dist/cli/main.js")]

ad.settings.allow_write_nullable_strings = True
pytestmark = pytest.mark.filterwarnings("ignore")

GENES = [f"g{i}" for i in range(12)]


def dataset(seed, rows, genes, form="csr", dtype=np.float32, **obs):
    rng = np.random.default_rng(seed)
    values = np.floor(rng.random((rows, len(genes))) * 9).astype(dtype)
    values[rng.random(values.shape) < 0.5] = 0
    x = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "dense": np.asarray}[form](values)
    frame = pd.DataFrame({"n": np.arange(rows)}, index=[f"c{seed}_{i}" for i in range(rows)])
    for name, make in obs.items():
        frame[name] = make(rng, rows)
    var = pd.DataFrame({"symbol": [f"s-{gene}" for gene in genes]}, index=genes)
    return ad.AnnData(X=x, obs=frame, var=var, layers={"twice": x * 2})


def kinds(categories):
    return lambda rng, rows: pd.Categorical(rng.choice(categories, rows), categories=categories)


def studies():
    return [
        dataset(1, 7, GENES[:5], cell_type=kinds(["B", "T"])),
        dataset(2, 5, GENES[3:9][::-1], cell_type=kinds(["T", "NK"]), age=lambda rng, rows: rng.integers(0, 90, rows)),
        dataset(3, 4, GENES[6:] + GENES[:2], "dense", cell_type=kinds(["B"])),
        dataset(4, 6, GENES[::2], "csc", cell_type=kinds(["NK", "B"])),
        dataset(5, 1, GENES[:1], cell_type=kinds(["T"])),
    ]


def annarrow(*arguments, fails=False):
    done = subprocess.run([*CLI, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert (done.returncode != 0) == fails, done.stderr
    return done


def written(folder, datasets, first=0):
    files = []
    for i, data in enumerate(datasets, first):
        files.append(folder / f"in{i}.h5ad")
        data.write_h5ad(files[-1])
    return files


def manifest(atlas):
    return json.loads((atlas / "manifest.json").read_text())


def table(atlas, name):
    """The rows of a table, as a user of pyarrow reads them: file by file, as the manifest lists them."""
    [listed] = [one for one in manifest(atlas)["tables"] if one["name"] == name]
    frames = [pq.read_table(atlas / part["file"]).to_pandas() for part in listed["parts"]]
    for frame, part in zip(frames, listed["parts"]):
        assert len(frame) == part["rows"]
        content = (atlas / part["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == part["sha256"] and len(content) == part["bytes"]
    return pd.concat(frames, ignore_index=True)


def check(atlas, datasets, ids, order=("row", "col")):
    expected = ad.concat(dict(zip(ids, datasets)), join="outer", label="dataset_id", fill_value=0)
    var, obs = table(atlas, "var"), table(atlas, "obs").sort_values("row")
    assert sorted(var["_index"]) == sorted(expected.var_names)
    assert var["col"].tolist() == list(range(len(var)))
    assert obs["_index"].tolist() == expected.obs_names.tolist()
    for name in ("dataset_id", "cell_type", "n"):
        assert obs[name].astype(str).tolist() == expected.obs[name].astype(str).tolist()
    assert obs["age"].fillna(-1).tolist() == expected.obs["age"].fillna(-1).tolist()
    places = {row: place for place, row in enumerate(obs["row"])}
    for name, values in (("X", expected.X), ("layers/twice", expected.layers["twice"])):
        entries = table(atlas, name)
        parts = entries.groupby(entries["row"].map(obs.set_index("row")["dataset_id"].astype(str)), sort=False)
        assert all(own[list(order)].apply(tuple, axis=1).is_monotonic_increasing for _, own in parts)
        rows = entries["row"].map(places)
        found = sparse.csr_matrix((entries["value"], (rows, entries["col"])), shape=(len(obs), len(var)))
        wanted = sparse.csr_matrix(values)[:, expected.var_names.get_indexer(var["_index"])]
        assert (found != wanted).nnz == 0
    presence = table(atlas, "uns/presence")
    for name, data in zip(ids, datasets):
        own = presence.loc[presence["dataset_id"].astype(str) == name, "col"]
        assert sorted(var["_index"].iloc[own]) == sorted(data.var_names)


def test_one_command(tmp_path):
    datasets = studies()
    annarrow("union", *written(tmp_path, datasets), tmp_path / "atlas")
    check(tmp_path / "atlas", datasets, [f"in{i}" for i in range(5)])


def test_the_union_is_a_dataset(tmp_path):
    datasets = studies()
    annarrow("union", *written(tmp_path, datasets), tmp_path / "atlas")
    annarrow("convert", tmp_path / "atlas", tmp_path / "all.h5ad", "--anndata", "0.13")
    found = ad.read_h5ad(tmp_path / "all.h5ad")
    expected = ad.concat(dict(zip([f"in{i}" for i in range(5)], datasets)), join="outer", label="dataset_id", fill_value=0)
    expected = expected[:, found.var_names]
    assert (found.X != sparse.csr_matrix(expected.X)).nnz == 0
    assert (found.layers["twice"] != sparse.csr_matrix(expected.layers["twice"])).nnz == 0
    assert found.obs["cell_type"].astype(str).tolist() == expected.obs["cell_type"].astype(str).tolist()
    assert found.obs["dataset_id"].cat.categories.tolist() == [f"in{i}" for i in range(5)]


@pytest.mark.parametrize("tasks", [1, 3, 50])
def test_tasks_in_any_order_and_twice(tmp_path, tasks):
    datasets = studies()
    files = written(tmp_path, datasets)
    atlas = tmp_path / "atlas"
    annarrow("union", *files, tmp_path / "direct")
    annarrow("union", "plan", *files, atlas, "-o", tmp_path / "plan.json", "--tasks", tasks)
    numbers = range(len(json.loads((tmp_path / "plan.json").read_text())["tasks"]))
    for number in [*reversed(numbers), 0]:
        assert "manifest.json" not in [path.name for path in atlas.iterdir()]
        annarrow("union", "task", tmp_path / "plan.json", number)
    annarrow("union", "commit", tmp_path / "plan.json")
    check(atlas, datasets, [f"in{i}" for i in range(5)])
    annarrow("union", "commit", tmp_path / "plan.json")
    assert manifest(atlas)["union"]["commit"] == 1


def test_missing_tasks_are_named(tmp_path):
    files = written(tmp_path, studies())
    annarrow("union", "plan", *files, tmp_path / "atlas", "-o", tmp_path / "plan.json", "--tasks", 3)
    annarrow("union", "task", tmp_path / "plan.json", 0)
    done = annarrow("union", "commit", tmp_path / "plan.json", fails=True)
    assert "have not run" in done.stderr and "1, 2" in done.stderr


def test_add_remove_clean(tmp_path):
    datasets = studies()
    files = written(tmp_path, datasets)
    atlas = tmp_path / "atlas"
    annarrow("union", *files[:2], atlas)
    annarrow("union", "add", *files[2:], atlas)
    check(atlas, datasets, [f"in{i}" for i in range(5)])
    annarrow("union", "remove", atlas, "in1", "in3")
    kept, ids = [datasets[0], datasets[2], datasets[4]], ["in0", "in2", "in4"]
    obs = table(atlas, "obs")
    assert obs["_index"].tolist() == [name for data in kept for name in data.obs_names]
    assert obs["row"].tolist()[7:] == [12, 13, 14, 15, 22]
    annarrow("convert", atlas, tmp_path / "some.h5ad", "--anndata", "0.13")
    found = ad.read_h5ad(tmp_path / "some.h5ad")
    expected = ad.concat(dict(zip(ids, kept)), join="outer", fill_value=0)
    both = [name for name in found.var_names if name in set(expected.var_names)]
    assert (found[:, both].X != sparse.csr_matrix(expected[:, both].X)).nnz == 0
    before = sorted(atlas.rglob("*.parquet"))
    annarrow("union", "clean", atlas)
    assert len(sorted(atlas.rglob("*.parquet"))) < len(before)
    assert table(atlas, "obs")["row"].tolist() == obs["row"].tolist()


def test_inputs_that_do_not_fit(tmp_path):
    one, two = dataset(1, 3, GENES[:3]), dataset(2, 3, GENES[:3])
    two.obs["n"] = ["a", "b", "c"]
    files = written(tmp_path, [one, two])
    done = annarrow("union", *files, tmp_path / "atlas", fails=True)
    assert "in1.h5ad" in done.stderr and '"n"' in done.stderr
    assert not (tmp_path / "atlas").exists()
    repeated = dataset(3, 2, ["a", "b", "a"])
    done = annarrow("union", *written(tmp_path, [repeated]), tmp_path / "atlas", fails=True)
    assert '"a" is there twice' in done.stderr


def test_broken_inputs(tmp_path):
    files = written(tmp_path, studies()[:2])
    (tmp_path / "broken.h5ad").write_bytes(files[0].read_bytes()[:2000])
    inputs = [files[0], tmp_path / "broken.h5ad", files[1]]
    done = annarrow("union", *inputs, tmp_path / "atlas", fails=True)
    assert "broken.h5ad" in done.stderr and not (tmp_path / "atlas").exists()
    done = annarrow("union", *inputs, tmp_path / "atlas", "--skip-broken")
    assert "left out" in done.stderr and "broken.h5ad" in done.stderr
    assert table(tmp_path / "atlas", "obs")["dataset_id"].astype(str).unique().tolist() == ["in0", "in1"]


def test_an_input_that_changed_since_the_plan(tmp_path):
    files = written(tmp_path, studies()[:2])
    annarrow("union", "plan", *files, tmp_path / "atlas", "-o", tmp_path / "plan.json", "--tasks", 1)
    dataset(9, 7, GENES[:5], cell_type=kinds(["B", "T"])).write_h5ad(files[0])
    done = annarrow("union", "task", tmp_path / "plan.json", 0, fails=True)
    assert "changed since the union was planned" in done.stderr


def test_two_commits_one_wins(tmp_path):
    files = written(tmp_path, studies()[:3])
    atlas = tmp_path / "atlas"
    annarrow("union", files[0], atlas)
    for i in (1, 2):
        annarrow("union", "plan", files[i], atlas, "-o", tmp_path / f"plan{i}.json")
        annarrow("union", "task", tmp_path / f"plan{i}.json", 0)
    annarrow("union", "commit", tmp_path / "plan1.json")
    done = annarrow("union", "commit", tmp_path / "plan2.json", fails=True)
    assert "plan again" in done.stderr
    assert [one["id"] for one in manifest(atlas)["union"]["datasets"]] == ["in0", "in1"]


def test_features_by_a_column(tmp_path):
    one, two = dataset(1, 3, ["a", "b"]), dataset(2, 3, ["x", "y"])
    one.var["gene_id"], two.var["gene_id"] = ["E1", "E2"], ["E2", "E3"]
    annarrow("union", *written(tmp_path, [one, two]), tmp_path / "atlas", "--var-key", "gene_id")
    var = table(tmp_path / "atlas", "var")
    assert var["_index"].tolist() == ["E1", "E2", "E3"]
    assert var["symbol"].tolist() == ["s-a", "s-b", "s-y"]
    done = annarrow("union", *written(tmp_path, [one]), tmp_path / "no", "--var-key", "gene_ids", fails=True)
    assert '"gene_ids"' in done.stderr and "gene_id" in done.stderr


def test_a_union_that_is_killed(tmp_path):
    datasets = studies()
    files = written(tmp_path, datasets)
    atlas = tmp_path / "atlas"
    moments = random.Random(1)
    began = time.monotonic()
    annarrow("union", *files, tmp_path / "whole")
    took = time.monotonic() - began
    for _ in range(6):
        process = subprocess.Popen([*CLI, "union", *map(str, files), str(atlas)], stderr=subprocess.DEVNULL)
        time.sleep(moments.random() * took)
        process.kill()
        process.wait()
        if (atlas / "manifest.json").exists():
            break
    if not (atlas / "manifest.json").exists():
        annarrow("union", *files, atlas)
    check(atlas, datasets, [f"in{i}" for i in range(5)])
    annarrow("union", "clean", atlas)
    names = lambda folder: sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert names(atlas) == names(tmp_path / "whole")


def test_by_columns(tmp_path):
    datasets = studies()
    files = written(tmp_path, datasets)
    atlas, by_rows = tmp_path / "atlas", tmp_path / "by-rows"
    annarrow("union", *files[:3], atlas, "--order", "csc")
    done = annarrow("union", "add", *files[3:], atlas, "--order", "csr", fails=True)
    assert "the union is csc" in done.stderr
    annarrow("union", "add", *files[3:], atlas)
    check(atlas, datasets, [f"in{i}" for i in range(5)], ("col", "row"))
    annarrow("union", *files, by_rows)
    annarrow("union", "remove", atlas, "in1")
    annarrow("union", "remove", by_rows, "in1")
    query = 'select * from X join "layers/twice" using (row, col) where col in (2, 7) order by all'
    assert annarrow("query", atlas, query).stdout == annarrow("query", by_rows, query).stdout
    found = [tmp_path / "found.h5ad", tmp_path / "expected.h5ad"]
    for folder, file in zip((atlas, by_rows), found):
        annarrow("convert", folder, file, "--obs", "cell_type != 'B'", "--var", "symbol > 's-g3'")
    found, expected = map(ad.read_h5ad, found)
    assert isinstance(found.X, sparse.csc_matrix) and found.X.has_sorted_indices
    assert (found.X != expected.X).nnz == 0 and found.X.nnz == expected.X.nnz > 0
    assert found.obs.equals(expected.obs) and found.var.equals(expected.var)


def with_pca(seed, rows, width=3, dtype=np.float32, **obs):
    data = dataset(seed, rows, GENES[:4], cell_type=kinds(["B", "T"]))
    data.obsm["X_pca"] = np.random.default_rng(seed).random((rows, width)).astype(dtype)
    return data


@pytest.mark.parametrize("tasks", [1, 9])
def test_arrays_of_obsm(tmp_path, tasks):
    datasets = [with_pca(1, 40), with_pca(2, 5, dtype=np.float64), dataset(3, 4, GENES[:2], cell_type=kinds(["B"]))]
    files = written(tmp_path, datasets)
    atlas = tmp_path / "atlas"
    elements = ["--elements", "X,obs,var,obsm/X_pca"]
    done = annarrow("union", *files, atlas, *elements, "--tasks", tasks, "--verify")
    assert "obsm/X_pca: 1 of 3 inputs do not have it, whose rows are NaN" in done.stderr
    expected = np.vstack([datasets[0].obsm["X_pca"], datasets[1].obsm["X_pca"], np.full((4, 3), np.nan)])
    found = table(atlas, "obsm/X_pca")
    assert found["row"].tolist() == list(range(49))
    assert np.array_equal(np.vstack(found["value"]), expected, equal_nan=True)
    annarrow("union", "add", *written(tmp_path, [with_pca(4, 6)], 3), atlas, *elements)
    annarrow("union", "remove", atlas, "in1")
    annarrow("convert", atlas, tmp_path / "all.h5ad", "--anndata", "0.13")
    found = ad.read_h5ad(tmp_path / "all.h5ad")
    rest = [expected[:40], expected[45:], with_pca(4, 6).obsm["X_pca"]]
    assert np.array_equal(found.obsm["X_pca"], np.vstack(rest), equal_nan=True)
    annarrow("convert", atlas, tmp_path / "some.h5ad", "--obs", "cell_type = 'B'", "--anndata", "0.13")
    some = ad.read_h5ad(tmp_path / "some.h5ad")
    assert np.array_equal(some.obsm["X_pca"], found[some.obs_names].obsm["X_pca"], equal_nan=True)
    wide = annarrow("union", *files, *written(tmp_path, [with_pca(5, 3, 4)], 4), tmp_path / "no", *elements, fails=True)
    assert "in0.h5ad has 3 numbers for each observation" in wide.stderr and "has 4" in wide.stderr
    assert not (tmp_path / "no").exists()


def damaged(path, change):
    """Rewrites a file with other rows, and gives it a place in the report of its task as if the task had written it."""
    frame = pq.read_table(path)
    pq.write_table(change(frame), path)
    atlas = path.parents[2]
    [report] = (atlas / "tasks").rglob("*.json")
    content = json.loads(report.read_text())
    for part in content["parts"]:
        if part["file"] == str(path.relative_to(atlas)):
            part["bytes"] = path.stat().st_size
            part["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    report.write_text(json.dumps(content))


def with_column(name, change):
    def changed(frame):
        values = change(frame[name].to_numpy().copy())
        return frame.set_column(frame.schema.get_field_index(name), frame.schema.field(name), pa.array(values))

    return changed


def swapped(values):
    values[[0, -1]] = values[[-1, 0]]
    return values


@pytest.mark.parametrize("order", ["csr", "csc"])
def test_verified_commits(tmp_path, order):
    """Of files that are not what the inputs have, each is found, and nothing is committed."""
    datasets = studies()
    files = written(tmp_path, datasets)
    atlas = tmp_path / "atlas"
    annarrow("union", *files, tmp_path / "direct", "--order", order, "--verify")
    plan = tmp_path / "plan.json"
    annarrow("union", "plan", *files, atlas, "-o", plan, "--order", order, "--tasks", 1)
    changes = {
        "sum of its values|sum of the values": with_column("value", lambda values: np.r_[values[:-1], values[-1] + 1]),
        "not in the order": with_column("col" if order == "csc" else "row", swapped),
        "outside the features": with_column("col", lambda values: np.r_[values[:-1], 12]),
        "outside its rows": with_column("row", lambda values: np.r_[values[:-1], 7]),
        "rows, expected": lambda frame: frame.slice(1),
    }
    if order == "csc":
        changes = {"not in the order": changes["not in the order"]}
    for message, change in changes.items():
        annarrow("union", "task", plan, 0)
        [path] = (atlas / "X" / "in0").glob("*.parquet")
        damaged(path, change)
        done = annarrow("union", "commit", plan, "--verify", fails=True)
        assert re.search(message, done.stderr) and path.name in done.stderr, done.stderr
        assert not (atlas / "manifest.json").exists()
        path.unlink()
    annarrow("union", "task", plan, 0)
    [path] = (atlas / "X" / "in0").glob("*.parquet")
    content = path.read_bytes()
    path.write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])
    assert "SHA-256" in annarrow("union", "commit", plan, "--verify", fails=True).stderr
    path.unlink()
    annarrow("union", "task", plan, 0)
    # A report that has the sum of its file, but not that of the input.
    [report] = (atlas / "tasks").rglob("*.json")
    damaged(path, with_column("value", lambda values: values * 2))
    changed = json.loads(report.read_text())
    for part in changed["parts"]:
        if part["file"] == str(path.relative_to(atlas)):
            part["sum"] *= 2
    report.write_text(json.dumps(changed))
    done = annarrow("union", "commit", plan, "--verify", fails=True)
    assert "in0.h5ad" in done.stderr and "sum of the values" in done.stderr
    path.unlink()
    annarrow("union", "task", plan, 0)
    annarrow("union", "commit", plan, "--verify")
    check(atlas, datasets, [f"in{i}" for i in range(5)], ("row", "col") if order == "csr" else ("col", "row"))


def rows_of(frame):
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def test_views_of_duckdb(tmp_path):
    """In a folder whose name has characters of patterns and of SQL; datasets of two commits have different columns."""
    datasets = studies()
    files = written(tmp_path, datasets)
    atlas = tmp_path / "it's [1]*"
    annarrow("union", files[0], files[2], atlas)
    annarrow("union", "add", files[1], atlas)
    annarrow("union", "add", files[3], files[4], atlas)
    annarrow("union", "remove", atlas, "in3")
    database = duckdb.connect()
    database.execute(annarrow("union", "sql", atlas).stdout)
    for name in ("obs", "var", "X", "layers/twice", "uns/presence"):
        found = database.sql(f'from "{name}"').df()
        expected = table(atlas, name)
        assert found.columns.tolist() == expected.columns.tolist()
        assert rows_of(found) == rows_of(expected)
    failed = annarrow("union", "sql", tmp_path / "nothing", fails=True)
    assert "no union is here" in failed.stderr
