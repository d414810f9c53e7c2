/** The arrays of a store in the types that its version asks for. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { pointersToNumbers } from "../../../kernels/sparse/indptr.js";
import { InvalidDataError, located } from "../../../model/errors.js";
import { allocate, type NumberArray, type StoredType, type StoredValues } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";

export const UINT32 = { kind: "int", bits: 32, signed: false } as const;
export const UINT64 = { kind: "int", bits: 64, signed: false } as const;
export const FLOAT32 = { kind: "float", bits: 32 } as const;
export const FLOAT64 = { kind: "float", bits: 64 } as const;

export type NumberType = typeof UINT32 | typeof UINT64 | typeof FLOAT32 | typeof FLOAT64;

export interface StoreContext {
  /** Files state their type exactly; HDF5 converts numbers, as BPCells lets it do. */
  readonly exact: boolean;
  readonly options: ReadOptions;
}

/** A one-dimensional array of texts. @throws {InvalidDataError} where it is none. */
export async function openTexts(group: Group, name: string, cx: StoreContext): Promise<StoredArray> {
  const array = await openList(group, name, cx);
  // An empty list may be stored as anything.
  if (array.type.kind === "text" || lengthOf(array) === 0) return array;
  throw new InvalidDataError(`${array.type.kind} values, texts are expected`, { element: array.path });
}

/** A one-dimensional array of numbers of that type. @throws {InvalidDataError} where it is none. */
export async function openNumbers(
  group: Group,
  name: string,
  type: NumberType,
  cx: StoreContext,
): Promise<StoredArray> {
  const array = await openList(group, name, cx);
  const found = array.type;
  if (found.kind === type.kind && found.bits === type.bits && (found.kind === "float" || !found.signed)) return array;
  if (!cx.exact && (found.kind === "int" || (found.kind === "float" && found.bits > 16))) return converted(array, type);
  throw new InvalidDataError(`${nameOf(found)} values, ${nameOf(type)} is expected`, { element: array.path });
}

async function openList(group: Group, name: string, { options }: StoreContext): Promise<StoredArray> {
  const node = await group.open(name, options);
  if (node.kind === "array" && node.shape?.length === 1) return node;
  const what = node.kind === "group" ? "a group" : `an array of shape ${JSON.stringify(node.shape)}`;
  throw new InvalidDataError(`${what}, a list is expected`, { element: node.path });
}

export function lengthOf(array: StoredArray): number {
  return array.shape?.[0] ?? 0;
}

/** @throws {InvalidDataError} where the array has another length. */
export function checkLength(array: StoredArray, count: number): void {
  if (lengthOf(array) === count) return;
  throw new InvalidDataError(`${lengthOf(array)} values, ${count} are expected`, { element: array.path });
}

/** The values [start, end) of an array of integers. */
export function readIntegers(
  array: StoredArray,
  start: number,
  end: number,
  { options }: StoreContext,
): Promise<Float64Array> {
  return located({ element: array.path }, async () => {
    const read = await array.read(start, end, options);
    if (read.kind === "fixed" && !(read.values instanceof Float32Array || read.values instanceof Float64Array)) {
      return pointersToNumbers(read.values);
    }
    throw new InvalidDataError("no integers");
  });
}

function nameOf(type: StoredType): string {
  if (type.kind === "int") return `${type.signed ? "int" : "uint"}${type.bits}`;
  return type.kind === "float" ? `float${type.bits}` : type.kind;
}

/** An array of numbers as another type; what does not fit exactly is an error when it is read. */
export function converted(array: StoredArray, type: NumberType): StoredArray {
  const { kind, path, id, attributes, shape, chunks } = array;
  return {
    ...{ kind, path, id, attributes, shape, chunks, type },
    read: async (start, end, options): Promise<StoredValues> => {
      const read = await array.read(start, end, options);
      if (read.kind !== "fixed") throw new InvalidDataError("no numbers", { element: path });
      const values = allocate(type, end - start);
      convert(read.values, values, (at) => {
        throw new InvalidDataError(`value ${start + at}, ${read.values[at]}, is no ${nameOf(type)}`, { element: path });
      });
      return { kind: "fixed", values };
    },
  };
}

function convert(from: NumberArray, to: NumberArray, refuse: (at: number) => never): void {
  for (let i = 0; i < to.length; i++) {
    const value = from[i];
    if (to instanceof BigUint64Array) {
      if (typeof value === "number" && !Number.isInteger(value)) refuse(i);
      to[i] = BigInt(value);
      if (to[i] !== BigInt(value)) refuse(i);
    } else {
      to[i] = Number(value);
      const same =
        typeof value === "bigint" ? Number.isInteger(to[i]) && BigInt(to[i]) === value : Object.is(to[i], value);
      if (!same && !(to[i] === 0 && value === 0 && !(to instanceof Float32Array))) refuse(i);
    }
  }
}
