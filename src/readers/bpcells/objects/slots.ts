/** The slots of an R object as the values that they stand for. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import type { Follow } from "../../reader.js";
import { lengthOf } from "../stores/arrays.js";

/** @throws {InvalidDataError} where the slot is not one string. */
export async function textSlot(object: Group, name: string, options: ReadOptions): Promise<string> {
  const array = await arraySlot(object, name, options);
  if (array.type.kind === "text" && lengthOf(array) === 1) {
    const read = await array.read(0, 1, options);
    if (read.kind === "variable") return new TextDecoder().decode(read.bytes);
  }
  throw new InvalidDataError("not one string", { element: array.path });
}

/** Whole numbers, which R may keep as integers or reals; NA is the least integer. */
export async function integersSlot(object: Group, name: string, options: ReadOptions): Promise<Int32Array> {
  const array = await arraySlot(object, name, options);
  if (array.shape === null) return new Int32Array(0);
  const read = await array.read(0, lengthOf(array), options);
  if (read.kind === "fixed" && read.values instanceof Int32Array) return read.values;
  if (read.kind === "fixed" && read.values instanceof Float64Array) {
    const whole = Int32Array.from(read.values);
    if (whole.every((value, i) => value === Number(read.values[i]))) return whole;
  }
  throw new InvalidDataError("not whole numbers", { element: array.path });
}

/** TRUE and FALSE; null where the object has no such slot, as older ones may not. */
export async function flagsSlot(object: Group, name: string, options: ReadOptions): Promise<readonly boolean[] | null> {
  if (!(await object.keys(options)).includes(name)) return null;
  const array = await arraySlot(object, name, options);
  if (array.type.kind === "bool") {
    const read = await array.read(0, lengthOf(array), options);
    if (read.kind === "fixed" && read.values instanceof Uint8Array)
      return Array.from(read.values, (flag) => flag === 1);
  }
  throw new InvalidDataError("neither TRUE nor FALSE", { element: array.path });
}

export async function arraySlot(object: Group, name: string, options: ReadOptions): Promise<StoredArray> {
  const node = await object.open(name, options);
  if (node.kind === "array" && (node.shape === null || node.shape.length === 1)) return node;
  throw new InvalidDataError("not a vector", { element: node.path });
}

/** A slot that holds an object or a list. */
export async function groupSlot(object: Group, name: string, options: ReadOptions): Promise<Group> {
  const node = await object.open(name, options);
  if (node.kind === "group") return node;
  throw new InvalidDataError("a vector, an object is expected", { element: node.path });
}

/** The objects of a list, in its order. */
export async function objectsSlot(object: Group, name: string, options: ReadOptions): Promise<readonly Group[]> {
  const list = await groupSlot(object, name, options);
  const found: Group[] = [];
  for (const name of await list.keys(options)) found.push(await groupSlot(list, name, options));
  if (found.length > 0) return found;
  throw new InvalidDataError("an empty list", { element: list.path });
}

/** All texts of an array. */
export async function textsOf(array: StoredArray, options: ReadOptions): Promise<readonly string[]> {
  const count = lengthOf(array);
  if (count === 0) return [];
  const read = await array.read(0, count, options);
  if (read.kind !== "variable") throw new InvalidDataError("no texts", { element: array.path });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from({ length: count }, (_, i) =>
    decoder.decode(read.bytes.subarray(read.offsets[i], read.offsets[i + 1])),
  );
}

/** What is needed to make an object's arrays. */
export interface ObjectContext {
  readonly options: ReadOptions;
  /** Opens an object that another is made of, as its group of arrays. */
  readonly open: (object: Group) => Promise<Group>;
  /** Opens what a path leads to. */
  readonly follow: Follow;
}
