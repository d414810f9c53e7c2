/** BPCells' lazy operations on fragments that select, reorder or rename chromosomes and cells. */

import { InvalidDataError, NotFoundError } from "annarrow";
import type { AttributeValue, Node } from "annarrow/core/containers";
import type { FragmentsPlan } from "annarrow/core/jobs";
import { countChunks } from "annarrow/core/kernels";
import type { NumberArray, StoredType } from "annarrow/core/model";
import { createTextArray, getLength, openFragments, parseVersion, UINT32, UINT64 } from "annarrow/core/readers";
import type { Group, ReadOptions, StoredArray } from "annarrow/format";
import { concatArrayRanges, selectCells } from "./lazy/select-fragments.js";
import {
  groupSlot,
  type ObjectContext,
  openArraySlot,
  readArrayTexts,
  readIntegersSlot,
  readTextSlot,
} from "./slots.js";

export async function openChrRename(object: Group, cx: ObjectContext): Promise<Group> {
  return renamed(object, "chr_names", await openArraySlot(object, "chr_names", cx.options), cx);
}

export async function openCellRename(object: Group, cx: ObjectContext): Promise<Group> {
  return renamed(object, "cell_names", await openArraySlot(object, "cell_names", cx.options), cx);
}

export async function openCellPrefix(object: Group, cx: ObjectContext): Promise<Group> {
  const group = await cx.open(await groupSlot(object, "fragments", cx.options));
  const prefix = await readTextSlot(object, "prefix", cx.options);
  const names = await readArrayTexts(await openArraySlot(group, "cell_names", cx.options), cx.options);
  const longer = createTextArray(
    names.map((name) => prefix + name),
    object.path,
  );
  return new RenamedFragments(object, group, new Map([["cell_names", longer]]));
}

async function renamed(object: Group, which: string, names: StoredArray, cx: ObjectContext): Promise<Group> {
  const group = await cx.open(await groupSlot(object, "fragments", cx.options));
  const before = await openArraySlot(group, which, cx.options);
  if (getLength(before) === getLength(names)) return new RenamedFragments(object, group, new Map([[which, names]]));
  throw new InvalidDataError(`${getLength(names)} new names for ${getLength(before)}`, { element: names.path });
}

/** Selects chromosomes. The nth selected chromosome becomes chromosome n, and fragments follow this order. */
export async function openChrSelect(object: Group, className: string, cx: ObjectContext): Promise<Group> {
  const plan = await innerFragments(object, cx);
  const names = await readArrayTexts(plan.chrNames, cx.options);
  const byName = className === "ChrSelectName";
  const selected = await selection(object, byName ? "chr_names" : "chr_index_selection", byName, names, cx);
  const pieces: { readonly start: number; readonly end: number }[] = [];
  const pointers: number[] = [];
  let count = 0;
  for (const chr of selected.positions) {
    const run = plan.runs.find((other) => other.chr === chr) ?? { start: 0, end: 0 };
    if (run.start < run.end) pieces.push(run);
    pointers.push(count, count + run.end - run.start);
    count += run.end - run.start;
  }
  const part = (array: StoredArray) => concatArrayRanges(array, pieces);
  return new FragmentsGroup(object, {
    cell: part(plan.cell),
    start: part(plan.start),
    end: part(plan.end),
    endIsLength: plan.endIsLength,
    pointers,
    chrNames: createTextArray(selected.names, object.path),
    cellNames: plan.cellNames,
  });
}

/** Selects cells. The nth selected cell becomes cell n, and fragments of other cells are omitted. */
export async function openCellSelect(object: Group, className: string, cx: ObjectContext): Promise<Group> {
  const plan = await innerFragments(object, cx);
  const names = await readArrayTexts(plan.cellNames, cx.options);
  const byName = className === "CellSelectName";
  const selected = await selection(object, byName ? "cell_names" : "cell_index_selection", byName, names, cx);
  const ids = new Int32Array(names.length).fill(-1);
  for (const [id, cell] of selected.positions.entries()) {
    if (cell >= 0 && ids[cell] >= 0) {
      throw new InvalidDataError(`cell ${cell + 1} is selected twice`, { element: object.path });
    }
    if (cell >= 0) ids[cell] = id;
  }
  return withCells(object, plan, { ids, names: createTextArray(selected.names, object.path) }, cx);
}

export async function openCellMerge(object: Group, cx: ObjectContext): Promise<Group> {
  const plan = await innerFragments(object, cx);
  const ids = await readIntegersSlot(object, "group_ids", cx.options);
  const names = await openArraySlot(object, "group_names", cx.options);
  const wrong = ids.findIndex((id) => id < 0 || id >= getLength(names));
  if (wrong >= 0 || ids.length !== getLength(plan.cellNames)) {
    throw new InvalidDataError(
      wrong >= 0
        ? `group_ids[${wrong + 1}] is ${ids[wrong]}, there are ${getLength(names)} groups`
        : `${ids.length} group_ids for ${getLength(plan.cellNames)} cells`,
      { element: object.path },
    );
  }
  return withCells(object, plan, { ids, names }, cx);
}

/** Cells, or groups of cells, that replace a store's cells. */
interface NewCells {
  /** New cell number of each cell; -1 if the cell has none. */
  readonly ids: Int32Array;
  readonly names: StoredArray;
}

async function withCells(
  object: Group,
  plan: FragmentsPlan,
  { ids, names: cellNames }: NewCells,
  cx: ObjectContext,
): Promise<Group> {
  const { cell, start, end, ends } = await selectCells(plan, ids, object.path, cx.options);
  const pointers: number[] = [];
  let before = 0;
  const runs = new Map(plan.runs.map(({ chr }, i) => [chr, [i === 0 ? 0 : ends[i - 1], ends[i]] as const]));
  for (let chr = 0; chr < getLength(plan.chrNames); chr++) {
    const [from, to] = runs.get(chr) ?? [before, before];
    pointers.push(from, to);
    before = to;
  }
  const { endIsLength, chrNames } = plan;
  return new FragmentsGroup(object, { cell, start, end, endIsLength, pointers, chrNames, cellNames });
}

async function innerFragments(object: Group, cx: ObjectContext): Promise<FragmentsPlan> {
  const group = await cx.open(await groupSlot(object, "fragments", cx.options));
  const version = parseVersion(String(group.attributes.get("version")));
  if (version.content === "fragments") {
    return openFragments(group, version, { exact: false, options: cx.options });
  }
  throw new InvalidDataError("a matrix, fragments are expected", { element: group.path });
}

interface Selection {
  /** Positions of the selected names, counted from 0; -1 for an unknown name. */
  readonly positions: readonly number[];
  readonly names: readonly string[];
}

async function selection(
  object: Group,
  slot: string,
  byName: boolean,
  names: readonly string[],
  cx: ObjectContext,
): Promise<Selection> {
  if (byName) {
    const wanted = await readArrayTexts(await openArraySlot(object, slot, cx.options), cx.options);
    const known = new Map([...names.entries()].reverse().map(([i, name]) => [name, i]));
    return { positions: wanted.map((name) => known.get(name) ?? -1), names: wanted };
  }
  const positions = [...(await readIntegersSlot(object, slot, cx.options))].map((position) => position - 1);
  const wrong = positions.find((position) => !(position >= 0 && position < names.length));
  if (wrong === undefined) return { positions, names: positions.map((position) => names[position]) };
  throw new InvalidDataError(`${slot} has ${wrong + 1}, there are 1 … ${names.length}`, { element: object.path });
}

class RenamedFragments implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly #store: Group;
  readonly #names: ReadonlyMap<string, StoredArray>;

  constructor(object: Group, store: Group, names: ReadonlyMap<string, StoredArray>) {
    this.path = object.path;
    this.id = object.id;
    this.attributes = store.attributes;
    this.#store = store;
    this.#names = names;
  }

  keys(options?: ReadOptions): Promise<readonly string[]> {
    return this.#store.keys(options);
  }

  async open(name: string, options?: ReadOptions): Promise<Node> {
    return this.#names.get(name) ?? (await this.#store.open(name, options));
  }
}

interface FragmentParts {
  readonly cell: StoredArray;
  readonly start: StoredArray;
  readonly end: StoredArray;
  /** True if `end` contains lengths. The end is then start + length, modulo 2^32. */
  readonly endIsLength: boolean;
  /** The positions at which each chromosome's fragments start and end. */
  readonly pointers: readonly number[];
  readonly chrNames: StoredArray;
  readonly cellNames: StoredArray;
}

/** Fragments in an R object as a store of unpacked arrays. */
class FragmentsGroup implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue> = new Map([["version", "unpacked-fragments-v2"]]);
  readonly #arrays: ReadonlyMap<string, StoredArray>;

  constructor(object: Group, parts: FragmentParts) {
    this.path = object.path;
    this.id = object.id;
    const { cell, start, end, endIsLength, pointers, chrNames, cellNames } = parts;
    // Setting the upper bound on a chunk's ends too high only makes a search slower.
    const most = new Uint32Array(countChunks(getLength(cell))).fill(2 ** 32 - 1);
    this.#arrays = new Map([
      ["cell", cell],
      ["start", start],
      ["end", endIsLength ? sums(start, end) : end],
      ["end_max", inMemory("end_max", UINT32, most)],
      [
        "chr_ptr",
        inMemory(
          "chr_ptr",
          UINT64,
          BigUint64Array.from(pointers, (pointer) => BigInt(pointer)),
        ),
      ],
      ["chr_names", chrNames],
      ["cell_names", cellNames],
    ]);
  }

  async keys(): Promise<readonly string[]> {
    return [...this.#arrays.keys()].sort();
  }

  async open(name: string): Promise<Node> {
    const array = this.#arrays.get(name);
    if (array === undefined) throw new NotFoundError("no such array", { element: `${this.path}/${name}` });
    return array;
  }
}

function inMemory(path: string, type: StoredType, values: NumberArray): StoredArray {
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), chunks: null, type },
    shape: [values.length],
    read: async (start, end) => ({ kind: "fixed", values: values.slice(start, end) }),
  };
}

function sums(start: StoredArray, length: StoredArray): StoredArray {
  const { path, id, attributes, type, shape } = length;
  return {
    ...{ kind: "array", path, id, attributes, chunks: null, type, shape },
    async read(from, to, options) {
      const [starts, lengths] = await Promise.all([start.read(from, to, options), length.read(from, to, options)]);
      if (starts.kind !== "fixed" || lengths.kind !== "fixed") throw new InvalidDataError("no numbers");
      const [a, b] = [starts.values, lengths.values];
      const values = Uint32Array.from({ length: to - from }, (_, i) => Number(a[i]) + Number(b[i]));
      return { kind: "fixed", values };
    },
  };
}
