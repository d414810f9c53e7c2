"""What lazy objects of BPCells hold, where that takes no arithmetic: parts, other names, several side by side.

`value_of` gives what bpcells_oracle's `decode` gives of a store. Selections count from 1; an empty one selects all.
"""

import numpy as np
from bpcells_oracle import RdsArrays, attributes, decode, text


def class_of(node) -> str:
    return text(attributes(node)["class"])[0].decode()


def value_of(node) -> dict:
    slots = attributes(node)
    if "version" in slots:
        return decode(RdsArrays(node, ""))
    operation = OPERATIONS.get(class_of(node))
    if operation is None:
        raise LookupError(f"{class_of(node)} takes more than its stored values")
    return operation(slots)


def numbers(slots, name):
    return np.ma.getdata(slots[name].value).astype(np.int64)


def dimnames(slots):
    return [text(node) if node.info.type.name == "STR" else None for node in slots["dimnames"].value]


def renamed_dims(slots):
    found = value_of(slots["matrix"])
    return found | dict(zip(("row_names", "col_names"), dimnames(slots)))


def subset(slots):
    found = value_of(slots["matrix"])
    if np.ma.getdata(slots["transpose"].value)[0]:
        raise LookupError("a part of a transposed matrix")
    none = np.ma.getdata(slots["zero_dims"].value)
    entries = np.stack([found["row"], found["col"], np.arange(len(found["value"]))])
    sizes = []
    for axis, (selection, size) in enumerate((("row_selection", "rows"), ("col_selection", "cols"))):
        chosen = numbers(slots, selection) - 1
        if len(chosen) == 0 and not none[axis]:
            chosen = np.arange(found[size])
        # A position may be selected more than once.
        parts = [entries[:, entries[axis] == old] for old in chosen]
        for new, part in enumerate(parts):
            part[axis] = new
        entries = np.concatenate(parts, axis=1) if parts else entries[:, :0]
        sizes.append(len(chosen))
    row, col, at = entries
    names = dict(zip(("row_names", "col_names"), dimnames(slots)))
    return found | names | {"row": row, "col": col, "value": found["value"][at], "rows": sizes[0], "cols": sizes[1]}


def bound(axis: str, size: str):
    def bind(slots):
        parts = [value_of(node) for node in slots["matrix_list"].value]
        begin = np.cumsum([0, *(part[size] for part in parts)])
        found = {name: np.concatenate([part[name] for part in parts]) for name in ("row", "col", "value")}
        found[axis] = np.concatenate([part[axis] + at for part, at in zip(parts, begin)])
        return parts[0] | found | {size: int(begin[-1])} | dict(zip(("row_names", "col_names"), dimnames(slots)))

    return bind


def renamed_cells(slots):
    return value_of(slots["fragments"]) | {"cell_names": text(slots["cell_names"])}


def chosen(found, which, names, ids):
    """The fragments whose id of `ids` is among `which`, under their new ids."""
    place = {old: new for new, old in enumerate(which)}
    kept = np.array([i for i, old in enumerate(found[ids].tolist()) if old in place], int)
    part = {field: found[field][kept] for field in ("chr", "start", "end", "cell")}
    part[ids] = np.array([place[old] for old in part[ids].tolist()], np.int64)
    order = np.argsort(part["chr"], kind="stable")
    part = {field: values[order] for field, values in part.items()}
    return found | part | {names: [found[names][old] for old in which]}


def selected_cells_by_name(slots):
    found = value_of(slots["fragments"])
    return chosen(found, [found["cell_names"].index(name) for name in text(slots["cell_names"])], "cell_names", "cell")


def selected_chromosomes(slots):
    found = value_of(slots["fragments"])
    return chosen(found, (numbers(slots, "chr_index_selection") - 1).tolist(), "chr_names", "chr")


def csc_matrix(slots):
    """A matrix of R's Matrix package, from which BPCells makes one of its own."""
    row, ptr, dim = (numbers(slots, name) for name in ("i", "p", "Dim"))
    names = [text(node) if node.info.type.name == "STR" else None for node in slots["Dimnames"].value]
    columns = np.repeat(np.arange(len(ptr) - 1, dtype=np.int64), np.diff(ptr))
    value = np.ma.getdata(slots["x"].value).astype("<f8")
    found = {"kind": "matrix", "order": "col", "type": "<f8", "rows": int(dim[0]), "cols": int(dim[1])}
    return found | {"row": row, "col": columns, "value": value, "row_names": names[0], "col_names": names[1]}


OPERATIONS = {
    "dgCMatrix": csc_matrix,
    "RenameDims": renamed_dims,
    "MatrixSubset": subset,
    "RowBindMatrices": bound("row", "rows"),
    "ColBindMatrices": bound("col", "cols"),
    "CellRename": renamed_cells,
    "CellSelectName": selected_cells_by_name,
    "ChrSelectIndex": selected_chromosomes,
}
