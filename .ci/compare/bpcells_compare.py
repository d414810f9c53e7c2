"""What bpcells_stores.py compares, in a process of its own: bpcells_oracle does the work, and says what it found."""

import contextlib
import gzip
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from asked import answered

PRELOADED = ["bpcells_oracle", "h5py", "pyarrow.parquet", "rdata", "anndata", "scipy.sparse"]
PRELOADED += ["bpcells.cpp", "bpcells.experimental"]
REQUIREMENTS = "requirements-bpcells.txt"


def run(task: str, *args) -> None:
    import bpcells_oracle

    bpcells_oracle.subprocess = ForkedPeer
    bpcells_oracle.stores_in = with_nested_lists(bpcells_oracle, bpcells_oracle.stores_in)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        answered(TASKS, bpcells_oracle, task, *args)


def with_nested_lists(oracle, stores_in):
    """Of R lists the oracle knows no lists in lists: here each name is a path."""

    def flat(node, path: str):
        if node.info.type.name != "VEC":
            return [oracle.RdsArrays(node, path)]
        names = [name.decode() for name in oracle.text(oracle.attributes(node)["names"])]
        return [store for name, one in zip(names, node.value) for store in flat(one, f"{path}/{name}".strip("/"))]

    def found(path, group=None):
        if not str(path).endswith(".rds"):
            return stores_in(path, group)
        import rdata

        return [store for store in flat(rdata.parser.parse_file(path).object, "") if group in (None, store.prefix)]

    return found


class ForkedPeer:
    """In the place of the oracle's `subprocess`: the bpcells package, which bad stores can end, in a fork of this process."""

    @classmethod
    def run(cls, command, **_):
        """A fork of a process with threads is ended by a signal now and then; a store that ends bpcells does it each time."""
        for _ in range(3):
            done = cls.once(command)
            if done.returncode >= 0:
                break
        return done

    @staticmethod
    def once(command):
        import bpcells_oracle

        with tempfile.TemporaryFile("w+") as err:
            pid = os.fork()
            if pid == 0:
                code = 1
                try:
                    bpcells_oracle.run_peer(*command[-2:])
                    code = 0
                except BaseException as error:  # noqa: BLE001
                    print(f"{type(error).__name__}: {error}", file=err, flush=True)
                finally:
                    os._exit(code)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            err.seek(0)
            return SimpleNamespace(returncode=code, stderr=err.read())


def asked(oracle, command: str, **args) -> list[str]:
    """The problems that a command of the oracle prints."""
    given = {"group": None, "group_b": None, "layer": None, "type": None, "latin1": False, "bytes": False, "peer": True}
    out = io.StringIO()
    report = oracle.Report()
    with contextlib.redirect_stdout(out):
        getattr(oracle, f"command_{command}")(SimpleNamespace(**given | args), report)
    found = [line.removeprefix("FAIL ") for line in out.getvalue().splitlines() if line.startswith("FAIL ")]
    return found or ([] if report.passed else ["nothing was compared"])


# ---- tables


def take_categories(folder: Path) -> dict[str, dict[str, list[bytes]]]:
    """What stands in the files beside Parquet, by table and column; the oracle knows nothing of them, so they are removed."""
    import pyarrow.parquet as pq

    found = {}
    for table in json.loads((folder / "manifest.json").read_text())["tables"]:
        for column, file in table.get("categories", {}).items():
            values = pq.read_table(folder / file).column("value").to_pylist()
            found.setdefault(table["name"], {})[column] = [value.encode() for value in values]
            (folder / file).unlink()
    return found


def export(oracle, original: str, folder: str) -> list[str]:
    categories = take_categories(Path(folder))
    problems = exported(oracle, original, folder)
    if categories and not original.endswith((".tsv", ".tsv.gz")) and lazy_object(oracle, original) is None:
        for store in oracle.stores_in(original):
            want = oracle.decode(store)
            beside = categories.get("fragments", categories.get(f"{store.prefix}/fragments"))
            if want["kind"] == "fragments" and beside != {"chr": want["chr_names"], "cell_id": want["cell_names"]}:
                problems.append(f"{store.prefix}: the files beside Parquet hold other categories")
    return problems


def exported(oracle, original: str, folder: str) -> list[str]:
    if original.endswith((".tsv", ".tsv.gz")):
        return compared(oracle, text_fragments(original), tables_of(oracle, Path(folder), "10x"))
    if original.endswith(".h5ad"):
        return inside_anndata(oracle, original, tables_of(oracle, Path(folder), "anndata"))
    lazy = lazy_object(oracle, original)
    if lazy is None:
        return asked(oracle, "export", original=original, dir=folder)
    from bpcells_lazy import class_of, value_of

    form = "r" if class_of(lazy) == "dgCMatrix" else "bpcells"
    return compared(oracle, value_of(lazy), tables_of(oracle, Path(folder), form))


def tables_of(oracle, folder: Path, form: str) -> dict:
    """What the oracle reads, which expects the format to be BPCells."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    oracle.check(manifest["format"] == form, f"manifest.json: format is {manifest['format']!r}")
    path.write_text(json.dumps(manifest | {"format": "bpcells"}))
    return oracle.read_export(folder)


def inside_anndata(oracle, original: str, tables: dict) -> list[str]:
    """The groups of BPCells, each under its path; the rest is AnnData's."""
    problems = []
    for store in oracle.stores_in(original):
        below = f"{store.prefix}/"
        inside = {name.removeprefix(below): table for name, table in tables.items() if name.startswith(below)}
        if "matrix" in inside:
            problems += compared(oracle, oracle.decode(store), inside)
        else:
            problems.append(f"no table {store.prefix}/matrix")
    return problems


def lazy_object(oracle, path: str):
    """The object of an R file where it is one that is not stored as its values."""
    if not path.endswith(".rds"):
        return None
    import rdata

    node = rdata.parser.parse_file(path).object
    return node if node.info.type.name == "S4" and "version" not in oracle.attributes(node) else None


def text_fragments(path: str) -> dict:
    """Fragments of 10x: ids in the order in which names appear, ends as they stand there."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        lines = [line.rstrip(b"\r\n").split(b"\t") for line in file if not line.startswith(b"#")]
    counts = {"count": np.array([int(line[4]) for line in lines], "<u4")} if len(lines[0]) > 4 else {}
    chrs, cells = ({name: i for i, name in enumerate(dict.fromkeys(line[at] for line in lines))} for at in (0, 3))
    return {
        "kind": "fragments",
        "chr": np.array([chrs[line[0]] for line in lines], "<i8"),
        "start": np.array([int(line[1]) for line in lines], "<u4"),
        "end": np.array([int(line[2]) for line in lines], "<u4"),
        "cell": np.array([cells[line[3]] for line in lines], "<i8"),
        "chr_names": list(chrs),
        "cell_names": list(cells),
        **counts,
    }


def compared(oracle, want: dict, tables: dict) -> list[str]:
    """As the oracle compares, but for the order, which a selection may change."""
    if want["kind"] == "fragments":
        table, meta, parquet = tables.pop("fragments")
        if "count" in want:
            oracle.check_equal(oracle.plain_column(table, "count", "uint32"), want["count"], "count")
            table = table.drop_columns("count")
        oracle.check_fragments_table(want, table, meta, parquet, False, set())
        return [f"unexpected tables: {list(tables)}"] if tables else []
    table, meta, _ = tables.pop("matrix")
    got = {name: table.column(name).to_numpy() for name in ("row", "col", "value")}
    fields = {name: got[name].astype(want[name].dtype) for name in ("row", "col")} | {"value": got["value"]}
    for name in ("row_names", "col_names"):
        column = tables.pop(name, None)
        fields[name] = [value.encode() for value in column[0].column("value").to_pylist()] if column else None
    rows, cols = meta["shape"]
    oracle.compare_stores(want, {**want, **fields, "rows": rows, "cols": cols, "type": got["value"].dtype.str})
    return [f"unexpected tables: {list(tables)}"] if tables else []


# ---- stores


def packed(oracle, original: str) -> list[bool]:
    """Whether the stores of a file are packed; text is to be."""
    if original.endswith((".tsv", ".tsv.gz")):
        return [True]
    return list({store.version.startswith("packed") for store in oracle.stores_in(original)})


def again(oracle, original: str, copy: str) -> list[str]:
    if original.endswith((".tsv", ".tsv.gz")):
        (store,) = oracle.stores_in(copy)
        oracle.compare_stores(text_fragments(original), oracle.decode(store))
        return []
    wanted, found = oracle.stores_in(original), oracle.stores_in(copy)
    if len(found) != len(wanted):
        return [f"{len(found)} stores at {[store.prefix for store in found]}, {len(wanted)} expected"]
    # Packed and plain ones in one file become all packed.
    mixed = len({a.version.startswith("packed") for a in wanted}) > 1
    problems = []
    for a in wanted:
        b = found[0] if len(found) == 1 else next((one for one in found if one.prefix == a.prefix), None)
        if b is None:
            problems.append(f"{a.prefix}: not among {[store.prefix for store in found]}")
            continue
        groups = {"group": a.prefix if len(wanted) > 1 else None, "group_b": b.prefix if len(found) > 1 else None}
        problems += asked(oracle, "same", a=original, b=copy, **groups)
        try:
            if not mixed:
                same_bytes(oracle, a, b)
        except oracle.Bad as error:
            problems.append(f"bytes: {error}")
    return problems


EARLY_NAMES = {"idxptr": "col_ptr", "index": "row"}
"""What arrays were called before version 1 had its form."""


def same_bytes(oracle, a, b) -> None:
    """Every array of numbers, bit for bit; those of version 1 as version 2 has them."""
    oracle.check(b.version == a.version.replace("-v1", "-v2"), f"version {b.version} from {a.version}")
    old, new = oracle.arrays_of(a.version), oracle.arrays_of(b.version)
    early = "chr_ptr" not in old and a.has("col_ptr") and not a.has("idxptr")
    for name, dtype in old.items():
        if name == "shape" and early:
            continue
        stem, _, part = name.partition("_")
        stored = "_".join([EARLY_NAMES.get(stem, stem), *([part] if part else [])]) if early else name
        want = a.numbers(stored, dtype).astype(new[name])
        bits = f"u{want.itemsize}"
        # Without columns R writes one pointer more than there are.
        got = b.numbers(name, new[name])
        if name == "idxptr" and want.tolist() == [0, 0] and got.tolist() == [0]:
            continue
        oracle.check_equal(got.view(bits), want.view(bits), name)


def kinds(original: Path) -> list[str]:
    """Of every object in a file, whether it is fragments or a matrix."""
    import bpcells_oracle

    if original.name.endswith((".tsv", ".tsv.gz")):
        return ["fragments"]
    return ["fragments" if store.has("chr_ptr") else "matrix" for store in bpcells_oracle.stores_in(original)]


def text(oracle, original: str, copy: str) -> list[str]:
    """Line by line, in the order of the store; what no fragment has is in no line."""
    want = text_fragments(original) if original.endswith((".tsv", ".tsv.gz")) else oracle.decode(oracle.stores_in(original)[0])
    with (gzip.open if copy.endswith(".gz") else open)(copy, "rb") as file:
        lines = file.read().split(b"\n")
    oracle.check(lines.pop() == b"", "the last line has no end")
    fields = zip(want["chr"], want["start"], want["end"], want["cell"], *([want["count"]] if "count" in want else []))
    wanted = [
        b"\t".join([want["chr_names"][c], b"%d" % s, b"%d" % e, want["cell_names"][n], *(b"%d" % i for i in more)])
        for c, s, e, n, *more in fields
    ]
    oracle.check_equal(lines, wanted, "line")
    return []


def from_anndata(oracle, h5ad: str, copy: str) -> list[str]:
    import anndata
    import scipy.sparse

    def read(path):
        data = read_h5ad(path)
        if isinstance(data.X, np.ndarray) and data.X.dtype.kind == "f":
            # The oracle loses the -0.0 of dense arrays.
            places = np.nonzero((data.X != 0) | np.signbit(data.X))
            data.X = scipy.sparse.coo_matrix((data.X[places], places), data.X.shape).tocsr()
        # scipy cannot work with the positions of 32 unsigned bits that BPCells writes.
        if hasattr(data.X, "indices") and data.X.indices.dtype == np.uint32:
            data.X.indices = data.X.indices.astype(np.int64)
            data.X.indptr = data.X.indptr.astype(np.int64)
        return data

    read_h5ad, anndata.read_h5ad = anndata.read_h5ad, read
    return asked(oracle, "from_anndata", h5ad=h5ad, b=copy)


TASKS = {"export": export, "packed": packed, "again": again, "text": text, "from-anndata": from_anndata}
