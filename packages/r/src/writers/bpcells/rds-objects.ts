/**
 * Writes the R objects of BPCells, whose slots differ from the arrays of a store: `dim` for `shape`, `transpose` for
 * `storage_order`, `dimnames` for `row_names` and `col_names`, and the version as a slot.
 */

import type { TableMetadata } from "annarrow";
import { UnsupportedError } from "annarrow";
import { encodeStoredTexts } from "annarrow/core/arrow";
import type {
  ArrayDescription,
  ArrayWriter,
  GroupWriter,
  WrittenAttribute,
  WrittenAttributes,
} from "annarrow/core/containers";
import type { NumberArray, StoredType, StoredValues } from "annarrow/core/model";
import { isJsonObject } from "annarrow/core/model";
import type { StoreGroups } from "annarrow/core/writers";
import { TEXT } from "annarrow/core/writers";

/**
 * Wraps a group `group` in an R file, so that arrays are written under the names that they have in stores. Sets the
 * class, version and order of the slots, and converts arrays that have another form in R. The attribute `version` may
 * be set again.
 * @param version a version such as `packed-uint-matrix-v2`.
 * @throws {UnsupportedError} for versions without an R class.
 */
export async function createRdsObject(group: GroupWriter, version: string): Promise<GroupWriter> {
  const { className, slots } = classOf(version);
  group.attribute("class", texts([className], []));
  group.attribute("package", texts(["BPCells"], []));
  group.attribute("slots", texts(slots, [slots.length]));
  const stored = await group.array("version", { type: TEXT, shape: [1] });
  await stored.write(encodeStoredTexts([version]), 1);
  await stored.close();
  const isMatrix = slots.includes("dimnames");
  return new SlotWriter(group, isMatrix ? await group.group("dimnames", new Map([["length", TWO]])) : null);
}

/** Slots of a matrix or of fragments, in R's order. */
const BASE = ["idxptr", "version", "dim", "transpose", "dimnames"];
const PACKED_INDEX = ["index_data", "index_starts", "index_idx", "index_idx_offsets", ...BASE];
const NAMES = ["chr_ptr", "chr_names", "cell_names", "version"];

const CLASSES: ReadonlyMap<string, { readonly className: string; readonly slots: readonly string[] }> = new Map([
  [
    "packed-uint-matrix-v2",
    { className: "PackedMatrixMem_uint32_t", slots: ["val_data", "val_idx", "val_idx_offsets", ...PACKED_INDEX] },
  ],
  ["packed-float-matrix-v2", { className: "PackedMatrixMem_float", slots: ["val", ...PACKED_INDEX] }],
  ["packed-double-matrix-v2", { className: "PackedMatrixMem_double", slots: ["val", ...PACKED_INDEX] }],
  ["unpacked-uint-matrix-v2", { className: "UnpackedMatrixMem_uint32_t", slots: ["val", "index", ...BASE] }],
  ["unpacked-float-matrix-v2", { className: "UnpackedMatrixMem_float", slots: ["val", "index", ...BASE] }],
  ["unpacked-double-matrix-v2", { className: "UnpackedMatrixMem_double", slots: ["val", "index", ...BASE] }],
  [
    "packed-fragments-v2",
    {
      className: "PackedMemFragments",
      slots: [
        ...["cell_data", "cell_idx", "cell_idx_offsets"],
        ...["start_data", "start_idx", "start_idx_offsets", "start_starts"],
        ...["end_data", "end_idx", "end_idx_offsets", "end_max", ...NAMES],
      ],
    },
  ],
  [
    "unpacked-fragments-v2",
    { className: "UnpackedMemFragments", slots: ["cell", "start", "end", "end_max", ...NAMES] },
  ],
]);

function classOf(version: string) {
  const found = CLASSES.get(version);
  if (found === undefined) throw new UnsupportedError(`R has no class of objects for ${JSON.stringify(version)}`);
  return found;
}

class SlotWriter implements GroupWriter {
  readonly path: string;
  readonly #group: GroupWriter;
  readonly #names: GroupWriter | null;

  constructor(group: GroupWriter, names: GroupWriter | null) {
    this.path = group.path;
    this.#group = group;
    this.#names = names;
  }

  attribute(name: string, attribute: WrittenAttribute): void {
    if (name !== "version") this.#group.attribute(name, attribute);
  }

  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter> {
    return this.#group.group(name, attributes);
  }

  async array(name: string, description: ArrayDescription): Promise<ArrayWriter> {
    switch (name) {
      case "shape":
        return new DimWriter(this.#group);
      case "storage_order":
        return new TransposeWriter(this.#group);
      case "row_names":
        return new NamesWriter(this.#names ?? this.#group, "1", description);
      case "col_names":
        return new NamesWriter(this.#names ?? this.#group, "2", description);
      default:
        return this.#group.array(name, description);
    }
  }
}

/** Writes `dim` as integers, or as doubles if a size exceeds R's integers. */
class DimWriter implements ArrayWriter {
  readonly path: string;
  readonly #group: GroupWriter;
  readonly #sizes: number[] = [];

  constructor(group: GroupWriter) {
    this.path = group.path === "" ? "dim" : `${group.path}/dim`;
    this.#group = group;
  }

  async write(values: StoredValues): Promise<void> {
    if (values.kind !== "fixed") throw new TypeError(`${this.path}: these are no sizes`);
    for (const size of values.values) this.#sizes.push(Number(size));
  }

  async close(): Promise<void> {
    const sizes = this.#sizes;
    const isReal = sizes.some((size) => size >= 2 ** 31);
    const values = isReal ? Float64Array.from(sizes) : Int32Array.from(sizes);
    const type = isReal ? ({ kind: "float", bits: 64 } as const) : ({ kind: "int", bits: 32, signed: true } as const);
    await writeVector(this.#group, "dim", type, values);
  }
}

/** Writes `transpose`, which is TRUE if the matrix is stored by rows. */
class TransposeWriter implements ArrayWriter {
  readonly path: string;
  readonly #group: GroupWriter;
  #order = "";

  constructor(group: GroupWriter) {
    this.path = group.path === "" ? "transpose" : `${group.path}/transpose`;
    this.#group = group;
  }

  async write(values: StoredValues): Promise<void> {
    if (values.kind !== "variable") throw new TypeError(`${this.path}: this is no order`);
    this.#order = new TextDecoder().decode(values.bytes.subarray(values.offsets[0], values.offsets[1]));
  }

  async close(): Promise<void> {
    if (this.#order !== "row" && this.#order !== "col") throw new TypeError(`${this.path}: order ${this.#order}`);
    const values = Uint8Array.of(this.#order === "row" ? 1 : 0);
    await writeVector(this.#group, "transpose", { kind: "bool" }, values);
  }
}

/** Writes an element of `dimnames`; NULL if there are no names. */
class NamesWriter implements ArrayWriter {
  readonly path: string;
  readonly #group: GroupWriter;
  readonly #position: string;
  readonly #description: ArrayDescription;
  #array: ArrayWriter | null = null;

  constructor(group: GroupWriter, position: string, description: ArrayDescription) {
    this.path = `${group.path}/${position}`;
    this.#group = group;
    this.#position = position;
    this.#description = description;
  }

  async write(values: StoredValues, rows: number): Promise<void> {
    if (rows === 0) return;
    this.#array ??= await this.#group.array(this.#position, this.#description);
    await this.#array.write(values, rows);
  }

  async close(): Promise<void> {
    await this.#array?.close();
  }
}

async function writeVector(group: GroupWriter, name: string, type: StoredType, values: NumberArray): Promise<void> {
  const array = await group.array(name, { type, shape: [values.length] });
  await array.write({ kind: "fixed", values }, values.length);
  await array.close();
}

const TWO: WrittenAttribute = {
  type: { kind: "int", bits: 32, signed: true },
  shape: [],
  values: { kind: "fixed", values: Int32Array.of(2) },
};

function texts(values: readonly string[], shape: readonly number[]): WrittenAttribute {
  return { type: TEXT, shape, values: encodeStoredTexts(values) };
}

/** A level of nested lists: its key in the path, and its name in the list (null if the list has no names). */
interface Level {
  readonly key: string;
  readonly name: string | null;
}

interface List {
  readonly group: GroupWriter;
  readonly places: Map<string, Level>;
}

/** The groups of the stores in an R file: objects in nested lists. */
export class RLists implements StoreGroups {
  readonly #root: GroupWriter;
  readonly #lists = new Map<string, List>();

  constructor(root: GroupWriter) {
    this.#root = root;
  }

  /**
   * Returns the group of the object at `path`, in the lists that the table's metadata records, or else in one list per
   * path segment.
   */
  async at(path: string, metadata: TableMetadata | null): Promise<GroupWriter> {
    let group = this.#root;
    let id = "";
    for (const level of levelsOf(path, metadata)) {
      const list = this.#lists.get(id) ?? { group, places: new Map<string, Level>() };
      this.#lists.set(id, list);
      id += `/${level.key.length}:${level.key}`;
      const known = this.#lists.get(id);
      if (known === undefined) {
        list.places.set(level.key, level);
        group = await list.group.group(String(list.places.size));
      } else group = known.group;
    }
    return group;
  }

  begin(group: GroupWriter, version: string): Promise<GroupWriter> {
    return createRdsObject(group, version);
  }

  /** Writes the lengths and element names of lists when all elements are known. */
  close(): void {
    for (const { group, places } of this.#lists.values()) {
      const names = Array.from(places.values(), ({ name }) => name);
      const int = { kind: "int", bits: 32, signed: true } as const;
      const values = { kind: "fixed", values: Int32Array.of(names.length) } as const;
      group.attribute("length", { type: int, shape: [], values });
      if (names.every((name) => name === null)) continue;
      const texts = encodeStoredTexts(names.map((name) => name ?? ""));
      group.attribute("names", { type: TEXT, shape: [names.length], values: texts });
    }
  }
}

/**
 * Returns the levels of a path, from the metadata, or one level per path segment if the caller has renamed the table.
 */
function levelsOf(path: string, metadata: TableMetadata | null): readonly Level[] {
  const list = metadata?.list;
  if (Array.isArray(list) && list.every(isLevel)) {
    const own = list.map(({ key }) => key).filter((key) => key !== "");
    if (own.join("/") === path) return list;
  }
  return path === "" ? [] : path.split("/").map((key) => ({ key, name: key }));
}

function isLevel(value: unknown): value is Level {
  return (
    isJsonObject(value) && typeof value.key === "string" && (value.name === null || typeof value.name === "string")
  );
}
