/** Reads the slots of an R object as texts, numbers, flags, arrays and objects. */

import { InvalidDataError } from "annarrow";
import type { Follow } from "annarrow/core/readers";
import { getLength } from "annarrow/core/readers";
import type { Group, ReadOptions, StoredArray } from "annarrow/format";

/** Reads a slot that contains one string. @throws {InvalidDataError} for other values. */
export async function readTextSlot(object: Group, name: string, options: ReadOptions): Promise<string> {
  const array = await openArraySlot(object, name, options);
  if (array.type.kind === "text" && getLength(array) === 1) {
    const read = await array.read(0, 1, options);
    if (read.kind === "variable") return new TextDecoder().decode(read.bytes);
  }
  throw new InvalidDataError("not one string", { element: array.path });
}

/** Reads whole numbers, which R may store as integers or reals. NA becomes the smallest 32-bit integer. */
export async function readIntegersSlot(object: Group, name: string, options: ReadOptions): Promise<Int32Array> {
  const array = await openArraySlot(object, name, options);
  if (array.shape === null) return new Int32Array(0);
  const read = await array.read(0, getLength(array), options);
  if (read.kind === "fixed" && read.values instanceof Int32Array) return read.values;
  if (read.kind === "fixed" && read.values instanceof Float64Array) {
    const whole = Int32Array.from(read.values);
    if (whole.every((value, i) => value === Number(read.values[i]))) return whole;
  }
  throw new InvalidDataError("not whole numbers", { element: array.path });
}

/** Reads TRUE and FALSE. Returns null if the object has no such slot, as in older versions. */
export async function readFlagsSlot(
  object: Group,
  name: string,
  options: ReadOptions,
): Promise<readonly boolean[] | null> {
  if (!(await object.keys(options)).includes(name)) return null;
  const array = await openArraySlot(object, name, options);
  if (array.type.kind === "bool") {
    const read = await array.read(0, getLength(array), options);
    if (read.kind === "fixed" && read.values instanceof Uint8Array)
      return Array.from(read.values, (flag) => flag === 1);
  }
  throw new InvalidDataError("neither TRUE nor FALSE", { element: array.path });
}

export async function openArraySlot(object: Group, name: string, options: ReadOptions): Promise<StoredArray> {
  const node = await object.open(name, options);
  if (node.kind === "array" && (node.shape === null || node.shape.length === 1)) return node;
  throw new InvalidDataError("not a vector", { element: node.path });
}

export async function groupSlot(object: Group, name: string, options: ReadOptions): Promise<Group> {
  const node = await object.open(name, options);
  if (node.kind === "group") return node;
  throw new InvalidDataError("a vector, an object is expected", { element: node.path });
}

export async function openObjectsSlot(object: Group, name: string, options: ReadOptions): Promise<readonly Group[]> {
  const list = await groupSlot(object, name, options);
  const found: Group[] = [];
  for (const name of await list.keys(options)) found.push(await groupSlot(list, name, options));
  if (found.length > 0) return found;
  throw new InvalidDataError("an empty list", { element: list.path });
}

export async function readArrayTexts(array: StoredArray, options: ReadOptions): Promise<readonly string[]> {
  const count = getLength(array);
  if (count === 0) return [];
  const read = await array.read(0, count, options);
  if (read.kind !== "variable") throw new InvalidDataError("no texts", { element: array.path });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from({ length: count }, (_, i) =>
    decoder.decode(read.bytes.subarray(read.offsets[i], read.offsets[i + 1])),
  );
}

export interface ObjectContext {
  readonly options: ReadOptions;
  /** Opens an inner object as its group of arrays. */
  readonly open: (object: Group) => Promise<Group>;
  readonly follow: Follow;
}
