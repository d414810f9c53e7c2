/**
 * The version of a store, and its arrays. The version determines their types. They are packed, unpacked, or created
 * from R's values.
 */

import { encodeStoredTexts } from "../../../arrow/text.js";
import { type Bp128Parts, openBp128Parts } from "../../../containers/bp128/bp128-array.js";
import type { Group, StoredArray } from "../../../containers/tree/container.js";
import type { ReadOptions } from "../../../io/sources/source.js";
import { type Bp128Kind, CHUNK, countChunks, hasStarts } from "../../../kernels/bp128/page.js";
import { convertPointersToNumbers } from "../../../kernels/sparse/indptr.js";
import { InvalidDataError, runWithLocation, UnsupportedError } from "../../../model/errors.js";
import {
  allocate,
  type NumberArray,
  type StoredType,
  type StoredValues,
  viewAsBytes,
  viewAsNumbers,
} from "../../../model/stored.js";

export const UINT32 = { kind: "int", bits: 32, signed: false } as const;
export const UINT64 = { kind: "int", bits: 64, signed: false } as const;
export const FLOAT32 = { kind: "float", bits: 32 } as const;
export const FLOAT64 = { kind: "float", bits: 64 } as const;

export type NumberType = typeof UINT32 | typeof UINT64 | typeof FLOAT32 | typeof FLOAT64;

export interface StoreContext {
  /**
   * True if the stored types must be exactly those of the version. This applies to files, but not to HDF5, which
   * converts numbers for BPCells.
   */
  readonly exact: boolean;
  readonly options: ReadOptions;
}

/** Opens a one-dimensional array of texts. @throws {InvalidDataError} for other nodes. */
export async function openTexts(group: Group, name: string, cx: StoreContext): Promise<StoredArray> {
  const array = await openList(group, name, cx);
  // An empty list may have any type.
  if (array.type.kind === "text" || getLength(array) === 0) return array;
  throw new InvalidDataError(`${array.type.kind} values, texts are expected`, { element: array.path });
}

/** Opens a one-dimensional array of numbers with a given type. @throws {InvalidDataError} for other nodes. */
export async function openNumbers(
  group: Group,
  name: string,
  type: NumberType,
  cx: StoreContext,
): Promise<StoredArray> {
  const array = await openList(group, name, cx);
  const found = array.type;
  if (found.kind === type.kind && found.bits === type.bits && (found.kind === "float" || !found.signed)) return array;
  if (!cx.exact && (found.kind === "int" || (found.kind === "float" && found.bits > 16)))
    return convertArray(array, type);
  throw new InvalidDataError(`${nameOf(found)} values, ${nameOf(type)} is expected`, { element: array.path });
}

async function openList(group: Group, name: string, { options }: StoreContext): Promise<StoredArray> {
  const node = await group.open(name, options);
  if (node.kind === "array" && node.shape?.length === 1) return node;
  const what = node.kind === "group" ? "a group" : `an array of shape ${JSON.stringify(node.shape)}`;
  throw new InvalidDataError(`${what}, a list is expected`, { element: node.path });
}

export function getLength(array: StoredArray): number {
  return array.shape?.[0] ?? 0;
}

/** @throws {InvalidDataError} if the array has a different length. */
export function checkLength(array: StoredArray, count: number): void {
  if (getLength(array) === count) return;
  throw new InvalidDataError(`${getLength(array)} values, ${count} are expected`, { element: array.path });
}

export function readIntegers(
  array: StoredArray,
  start: number,
  end: number,
  { options }: StoreContext,
): Promise<Float64Array> {
  return runWithLocation({ element: array.path }, async () => {
    const read = await array.read(start, end, options);
    if (read.kind === "fixed" && !(read.values instanceof Float32Array || read.values instanceof Float64Array)) {
      return convertPointersToNumbers(read.values);
    }
    throw new InvalidDataError("no integers");
  });
}

function nameOf(type: StoredType): string {
  if (type.kind === "int") return `${type.signed ? "int" : "uint"}${type.bits}`;
  return type.kind === "float" ? `float${type.bits}` : type.kind;
}

/** Converts an array of numbers to another type. Reading a value that does not fit exactly is an error. */
export function convertArray(array: StoredArray, type: NumberType): StoredArray {
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

interface PackedName {
  readonly group: Group;
  readonly name: string;
  readonly kind: Bp128Kind;
  readonly count: number;
  readonly version: StoreVersion;
  /** Every value must be less than this. */
  readonly limit?: number | undefined;
}

/**
 * Opens an array of `count` values that is stored in packed form in `<name>_data`, `_idx` and so on.
 * @throws {NotFoundError} if a part is missing.
 * @throws {InvalidDataError} if the parts do not fit together.
 */
export async function openPackedArray(wanted: PackedName, cx: StoreContext): Promise<StoredArray> {
  return (await openPacked(wanted, cx)).array;
}

/** An array, and the number of bits that it stores per value, to three decimals. The last chunk counts as full. */
interface MeasuredArray {
  readonly array: StoredArray;
  readonly bits: number;
}

/** Opens a packed array like `openPackedArray`, but also returns its parts. */
export async function openPacked(
  { group, name, kind, count, version, limit }: PackedName,
  cx: StoreContext,
): Promise<MeasuredArray & { readonly parts: Bp128Parts }> {
  const path = group.path === "" ? name : `${group.path}/${name}`;
  // All parts are requested from a server at once.
  const [data, idx, offsets, starts] = await Promise.all([
    openNumbers(group, `${name}_data`, UINT32, cx),
    openNumbers(group, `${name}_idx`, UINT32, cx),
    version.number === 1 ? null : openNumbers(group, `${name}_idx_offsets`, UINT64, cx),
    hasStarts(kind) ? openNumbers(group, `${name}_starts`, UINT32, cx) : null,
  ]);
  const parts = { data, idx, offsets, starts };
  const options = limit === undefined ? cx.options : { ...cx.options, limit };
  const array = await openBp128Parts(path, kind, count, parts, options);
  const bits = count === 0 ? 0 : Math.round((1000 * 32 * getLength(data)) / (CHUNK * countChunks(count))) / 1000;
  return { array, bits, parts };
}

/** Adds the number of bits per value to an unpacked array of numbers. */
export function createMeasuredArray(array: StoredArray): MeasuredArray {
  const { type } = array;
  return { array, bits: type.kind === "int" || type.kind === "float" ? type.bits : 0 };
}

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

/** Makes an array of texts in memory. @param path the array's name in errors. */
export function createTextArray(texts: readonly string[], path: string): StoredArray {
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), type: TEXT, shape: [texts.length], chunks: null },
    read: async (start, end) => encodeStoredTexts(texts.slice(start, end)),
  };
}

/** Reinterprets the bits of an array of 32-bit numbers as another type. */
export function reinterpretArray(
  array: StoredArray,
  type:
    | { readonly kind: "int"; readonly bits: 32; readonly signed: false }
    | { readonly kind: "float"; readonly bits: 32 },
): StoredArray {
  const { kind, path, id, attributes, shape, chunks, readInto } = array;
  return {
    ...{ kind, path, id, attributes, shape, chunks, type },
    read: async (start, end, options) => {
      const read = await array.read(start, end, options);
      if (read.kind !== "fixed") throw new TypeError("values of no fixed size");
      return { kind: "fixed", values: viewAsNumbers(type, viewAsBytes(read.values)) };
    },
    readInto: readInto === undefined ? undefined : readInto.bind(array),
  };
}

/**
 * The content of a store, which depends on its version. The version determines which arrays are read; other arrays may
 * be left over from an earlier write.
 */
export type StoreVersion = MatrixVersion | FragmentsVersion;

export interface MatrixVersion {
  readonly content: "matrix";
  readonly packed: boolean;
  readonly values: "uint" | "float" | "double";
  /** 9999 is an experimental version from the Python package that also packs pointers. */
  readonly number: 1 | 2 | 9999;
}

export interface FragmentsVersion {
  readonly content: "fragments";
  readonly packed: boolean;
  readonly number: 1 | 2;
}

/** Parses a version. @throws {UnsupportedError} for an unknown version. */
export function parseVersion(text: string): StoreVersion {
  const unknown = () => new UnsupportedError(`BPCells version ${JSON.stringify(text)}, which is not known`);
  const found = /^(packed|unpacked)-(?:(uint|float|double)-matrix|fragments)-v(1|2|9999)$/.exec(text);
  if (found === null) throw unknown();
  const packed = found[1] === "packed";
  const number = found[3] === "1" ? 1 : found[3] === "2" ? 2 : 9999;
  const values = found[2];
  if (values === "uint" || values === "float" || values === "double") {
    if (number === 9999 && !(packed && values === "uint")) throw unknown();
    return { content: "matrix", packed, values, number };
  }
  if (number === 9999) throw unknown();
  return { content: "fragments", packed, number };
}
