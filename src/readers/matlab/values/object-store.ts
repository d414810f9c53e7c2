/**
 * Reads `#subsystem#/MCOS`, which contains the properties of all objects in a file. The first cell lists names,
 * classes, objects and the locations of the objects' properties. The other cells contain values. MATLAB's releases
 * since 2006 use versions 2 to 4.
 */

import type { StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, runWithLocation, UnsupportedError } from "../../../model/errors.js";
import { viewAsBytes } from "../../../model/stored.js";
import type { MatlabContext, ObjectStore, ValueScope } from "./context.js";
import { createMatlabTextArray, readFixedValues } from "./memory-array.js";
import { readValueOrFailure } from "./read-value.js";
import type { CharValue, Value } from "./value.js";

/** Kinds of property entries: the value is a name, a cell, or the number in the entry itself. */
const NAME = 0;
const CELL = 1;
const INLINE = 2;

/** Number of cells before the first value. */
const FIRST_VALUE = 2;

const MAX_CELLS = 2 ** 22;
const MAX_METADATA = 2 ** 27;

/** Marks the scope of default values. Objects in this scope have no defaults themselves. */
const DEFAULTS = "defaults";

/** The object store of MATLAB's class system (MCOS). */
export class McosStore implements ObjectStore {
  readonly names: readonly string[];
  readonly #metadata: StoreMetadata;
  readonly #cells: readonly bigint[];
  readonly #known = new Map<number, ReadonlyMap<string, Value>>();
  #defaults: Promise<readonly ReadonlyMap<string, Value>[]> | null = null;

  private constructor(metadata: StoreMetadata, cells: readonly bigint[]) {
    this.names = metadata.names;
    this.#metadata = metadata;
    this.#cells = cells;
  }

  /**
   * Opens the store.
   * @param dataset the references to the store's cells.
   * @throws {InvalidDataError} if the content is invalid; {UnsupportedError} for an unknown version.
   */
  static async open(dataset: StoredArray, cx: MatlabContext): Promise<McosStore> {
    const { values } = await readFixedValues(dataset, MAX_CELLS);
    if (dataset.type.kind !== "reference" || values.length < FIRST_VALUE) {
      throw new InvalidDataError("the object store holds no references", { element: dataset.path });
    }
    const cells = Array.from(values, (value: number | bigint) => BigInt(value));
    const first = await dereferenced(cells[0], cx);
    if (first.kind !== "array") throw new InvalidDataError("the first cell of the object store is a group");
    const metadata = await runWithLocation({ element: first.path }, async () =>
      parseStoreMetadata(viewAsBytes((await readFixedValues(first, MAX_METADATA)).values)),
    );
    if (metadata.filled !== 0) {
      cx.warn(`${dataset.path}: a list of properties or objects is followed by ${metadata.filled}, where 0 should be`);
    }
    return new McosStore(metadata, cells);
  }

  className(id: number): string {
    const name = this.#metadata.classes[id];
    if (id > 0 && name !== undefined) return name;
    throw new InvalidDataError(`class ${id} of an object; the store has ${this.#metadata.classes.length - 1}`);
  }

  async properties(id: number, ancestors: readonly string[], cx: MatlabContext): Promise<ReadonlyMap<string, Value>> {
    const mark = `object ${id}`;
    if (id === 0 || ancestors.includes(mark)) return new Map();
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const isDefault = ancestors.includes(DEFAULTS);
    const entry = this.#metadata.objects[id];
    if (entry === undefined) {
      throw new InvalidDataError(`object ${id}; the store has ${this.#metadata.objects.length - 1}`);
    }
    cx.limits.enter(mark, { ancestors, inObject: true });
    const own = entry.saved > 0 ? this.#metadata.saved[entry.saved] : this.#metadata.normal[entry.normal];
    if (own === undefined) throw new InvalidDataError(`object ${id} has properties that the store does not have`);
    if (!isDefault) this.#defaults ??= this.#readDefaults(cx);
    const defaults = isDefault ? [] : ((await this.#defaults) ?? []);
    const properties = new Map(defaults[entry.classId] ?? []);
    const below = { ancestors: [...ancestors, mark], inObject: true };
    for (const one of own) properties.set(one.name, await this.#property(one, below, cx));
    for (const [i, dynamic] of (this.#metadata.dynamic[entry.dependency] ?? []).entries()) {
      properties.set(`__dynamic_property__${i + 1}`, await this.#object(dynamic, below, cx));
    }
    if (!isDefault) this.#known.set(id, properties);
    return properties;
  }

  async #object(id: number, scope: ValueScope, cx: MatlabContext): Promise<Value> {
    const object = await this.properties(id, scope.ancestors, cx);
    const name = this.className(this.#metadata.objects[id].classId);
    return { kind: "object", class: name, size: [1, 1], metadata: { objects: [id] }, objects: [object] };
  }

  async #property({ kind, value, name }: PropertyEntry, scope: ValueScope, cx: MatlabContext): Promise<Value> {
    switch (kind) {
      case NAME:
        return nameValue(this.#metadata, value);
      case CELL: {
        const address = this.#cells[FIRST_VALUE + value];
        if (address === undefined) {
          throw new InvalidDataError(
            `property ${name} in cell ${value}; the store has ${this.#cells.length - FIRST_VALUE}`,
          );
        }
        return await readValueOrFailure(() => dereferenced(address, cx), scope, cx);
      }
      case INLINE:
        return inlineValue(value);
      default:
        throw new InvalidDataError(`property ${name} is of kind ${kind}; 0 to 2 exist`);
    }
  }

  /** Reads the last cell, which is a struct of default values for each class. */
  async #readDefaults(cx: MatlabContext): Promise<readonly ReadonlyMap<string, Value>[]> {
    const last = this.#cells[this.#cells.length - 1];
    const value = await readValueOrFailure(() => dereferenced(last, cx), { ancestors: [DEFAULTS], inObject: true }, cx);
    if (value.kind !== "cell") return [];
    return value.items.map((item) =>
      item.kind === "struct" && item.columns.every((column) => column.length === 1)
        ? new Map(item.fields.map((field, k) => [field, item.columns[k][0]]))
        : new Map(),
    );
  }
}

function dereferenced(address: bigint, cx: MatlabContext) {
  const bytes = new Uint8Array(new BigUint64Array([address]).buffer);
  return cx.concurrency.run(() => cx.container.dereference({ kind: "reference", bytes }));
}

function nameValue({ names }: StoreMetadata, index: number): CharValue {
  const text = names[index - 1];
  if (text === undefined) throw new InvalidDataError(`object store has ${names.length} names, not ${index}`);
  const column = { kind: "array", array: createMatlabTextArray("", [text]) } as const;
  return { kind: "char", class: "char", size: [1, text.length], metadata: {}, column, texts: [text] };
}

function inlineValue(value: number): Value {
  const array: StoredArray = {
    ...{ kind: "array", path: "", id: "", attributes: new Map(), shape: [1, 1], chunks: null },
    type: { kind: "int", bits: 32, signed: false },
    read: async () => ({ kind: "fixed", values: Uint32Array.of(value) }),
  };
  const isBoolean = value <= 1;
  const dataset: StoredArray = isBoolean
    ? { ...array, type: { kind: "bool" }, read: async () => ({ kind: "fixed", values: Uint8Array.of(value) }) }
    : array;
  const metadata = { inline: true };
  return isBoolean
    ? { kind: "numeric", class: "logical", size: [1, 1], metadata, type: { kind: "bool" }, dataset }
    : { kind: "numeric", class: "uint32", size: [1, 1], metadata, type: array.type, dataset };
}

/** A property of an object: its name, the kind of its value, and a number whose meaning depends on that kind. */
interface PropertyEntry {
  readonly name: string;
  readonly kind: number;
  readonly value: number;
}

interface ObjectEntry {
  readonly classId: number;
  /**
   * Indices of property lists: the properties that `saveobj` returned, and the object's own properties. 0 means no
   * list.
   */
  readonly saved: number;
  readonly normal: number;
  /** Index of the list of objects that are the object's dynamic properties. */
  readonly dependency: number;
}

interface StoreMetadata {
  readonly version: number;
  readonly names: readonly string[];
  /** Class names by id. The id 0 means no class. */
  readonly classes: readonly string[];
  /** Objects by id. The id 0 means no object. */
  readonly objects: readonly ObjectEntry[];
  readonly saved: readonly (readonly PropertyEntry[])[];
  readonly normal: readonly (readonly PropertyEntry[])[];
  readonly dynamic: readonly (readonly number[])[];
  /** A non-zero word from the padding of the lists; 0 if there is none. */
  readonly filled: number;
}

/** A shared empty list, because most lists are empty. */
const NONE: never[] = [];

const HEADER_BYTES = 40;
const REGIONS = 8;

/**
 * Parses the first cell.
 * @throws {InvalidDataError} if a region is outside the bytes; {UnsupportedError} for unknown versions.
 */
export function parseStoreMetadata(bytes: Uint8Array): StoreMetadata {
  if (bytes.length < HEADER_BYTES) throw new InvalidDataError(`object store of ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(0, true);
  if (version < 2 || version > 4) throw new UnsupportedError(`object store of version ${version}; 2 to 4 are read`);
  const count = view.getUint32(4, true);
  const ends = regionOffsets(view, bytes.length);
  const names = namesOf(bytes.subarray(HEADER_BYTES, ends[0]), count);
  const region = (k: number) => words(view, ends[k], ends[k + 1]);
  const name = (index: number) => {
    const found = names[index - 1];
    if (found === undefined) throw new InvalidDataError(`object store has ${names.length} names, not ${index}`);
    return found;
  };
  const classes = rowsOf(region(0), 4).map(([namespace, own], i) =>
    i === 0 ? "" : `${namespace === 0 ? "" : `${name(namespace)}.`}${name(own)}`,
  );
  const objects = rowsOf(region(2), 6).map(([classId, , , saved, normal, dependency]) => ({
    ...{ classId, saved, normal, dependency },
  }));
  const properties = (k: number) => blocks(region(k), name);
  const [saved, normal, dynamic] = [properties(1), properties(3), lists(region(4))];
  const filled = saved.filled || normal.filled || dynamic.filled;
  return { version, names, classes, objects, saved: saved.all, normal: normal.all, dynamic: dynamic.all, filled };
}

interface Lists<T> {
  readonly all: readonly (readonly T[])[];
  readonly filled: number;
}

/** Parses lists of numbers. Each list is padded to 8 bytes. */
function lists(all: Uint32Array): Lists<number> {
  const found: (readonly number[])[] = [];
  let filled = 0;
  for (let at = 0; at < all.length; ) {
    const count = all[at];
    if (at + 1 + count > all.length) {
      throw new InvalidDataError(`object store has a list of ${count} objects in ${all.length - at} words`);
    }
    found.push(count === 0 ? NONE : Array.from(all.subarray(at + 1, at + 1 + count)));
    if (count % 2 === 0) filled ||= all[at + 1 + count] ?? 0;
    at += 2 * Math.floor((2 + count) / 2);
  }
  return { all: found, filled };
}

/** Parses the offsets of the regions. Older writers leave the last offsets at 0. */
function regionOffsets(view: DataView, size: number): readonly number[] {
  const offsets = Array.from({ length: REGIONS }, (_, k) => view.getUint32(8 + 4 * k, true));
  while (offsets.length > 0 && offsets[offsets.length - 1] === 0) offsets.pop();
  const last = offsets.at(-1) ?? HEADER_BYTES;
  while (offsets.length < REGIONS) offsets.push(last);
  const inOrder = offsets.every((offset, k) => offset >= (k === 0 ? HEADER_BYTES : offsets[k - 1]));
  if (inOrder && last <= size) return offsets;
  throw new InvalidDataError(`object store of ${size} bytes has regions at ${offsets.join(", ")}`);
}

function namesOf(bytes: Uint8Array, count: number): readonly string[] {
  const decoder = new TextDecoder("utf-8");
  const names: string[] = [];
  let start = 0;
  while (names.length < count && start < bytes.length) {
    const end = bytes.indexOf(0, start);
    if (end < 0) break;
    names.push(decoder.decode(bytes.subarray(start, end)));
    start = end + 1;
  }
  if (names.length < count) throw new InvalidDataError(`object store has ${names.length} names of ${count}`);
  return names;
}

function words(view: DataView, start: number, end: number): Uint32Array {
  const all = new Uint32Array(Math.floor((end - start) / 4));
  for (let i = 0; i < all.length; i++) all[i] = view.getUint32(start + 4 * i, true);
  return all;
}

function rowsOf(all: Uint32Array, width: number): readonly Uint32Array[] {
  return Array.from({ length: Math.floor(all.length / width) }, (_, i) => all.subarray(i * width, (i + 1) * width));
}

/** Parses lists that have three words per property. Each list is padded to 8 bytes, and the first one is empty. */
function blocks(all: Uint32Array, name: (index: number) => string): Lists<PropertyEntry> {
  const found: (readonly PropertyEntry[])[] = [];
  let filled = 0;
  for (let at = 0; at < all.length; ) {
    const count = all[at];
    if (at + 1 + 3 * count > all.length) {
      throw new InvalidDataError(`object store has a list of ${count} properties in ${all.length - at} words`);
    }
    const entries: PropertyEntry[] = count === 0 ? NONE : [];
    for (let k = 0, place = at + 1; k < count; k++, place += 3) {
      entries.push({ name: name(all[place]), kind: all[place + 1], value: all[place + 2] });
    }
    found.push(entries);
    if (count % 2 === 0) filled ||= all[at + 1 + 3 * count] ?? 0;
    at += 2 * Math.floor((2 + 3 * count) / 2);
  }
  return { all: found, filled };
}
