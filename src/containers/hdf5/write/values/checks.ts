/** Checks values, shapes and names before writing. */

import { InvalidInputError, UnsupportedElementError, UnsupportedError } from "../../../../model/errors.js";
import {
  allocate,
  countElements,
  type SequenceType,
  type SequenceValues,
  type StoredType,
  type StoredValues,
  type VariableValues,
} from "../../../../model/stored.js";
import type { ArrayDescription } from "../../../tree/container-writer.js";

/** @throws {TypeError} unless `values` contains `count` values of the type. */
export function checkValues(type: StoredType, values: StoredValues, count: number): void {
  if (type.kind === "sequence") {
    checkSequences(type, expectKind(values, "sequence"), count);
  } else if (type.kind === "text" || (type.kind === "bytes" && type.width === null)) {
    checkVariable(type.kind, expectKind(values, "variable"), count);
  } else if (type.kind === "record") {
    const { length, fields } = expectKind(values, "record");
    expect("records", length, count);
    expect("fields", fields.length, type.fields.length);
    type.fields.forEach((field, i) => {
      checkValues(field.type, fields[i], count * countElements(field.shape));
    });
  } else {
    checkFixed(type, values, count);
  }
}

function checkFixed(type: StoredType, values: StoredValues, count: number): void {
  const found = expectKind(values, "fixed").values;
  const [none, one] = [allocate(type, 0), allocate(type, 1)];
  if (none.constructor.name !== found.constructor.name) {
    throw new TypeError(`${type.kind} values in a ${found.constructor.name}, not in a ${none.constructor.name}`);
  }
  expect(`${type.kind} values`, found.length, count * one.length);
}

function checkSequences({ item, shape = [] }: SequenceType, { offsets, values }: SequenceValues, count: number): void {
  checkOffsets("sequences", offsets, count);
  checkValues(item, values, offsets[count] * countElements(shape));
}

function checkVariable(kind: string, { offsets, bytes }: VariableValues, count: number): void {
  checkOffsets(`${kind} values`, offsets, count);
  if (offsets[count] > bytes.length) {
    throw new TypeError(`${kind} values end at byte ${offsets[count]} of ${bytes.length}`);
  }
}

function checkOffsets(what: string, offsets: Int32Array, count: number): void {
  expect(what, offsets.length - 1, count);
  if (offsets[0] < 0) throw new TypeError(`${what} begin at ${offsets[0]}`);
  for (let i = 0; i < count; i++) {
    if (offsets[i + 1] < offsets[i]) {
      throw new TypeError(`${what}: number ${i} ends at ${offsets[i + 1]}, before its begin at ${offsets[i]}`);
    }
  }
}

function expectKind<K extends StoredValues["kind"]>(values: StoredValues, kind: K): StoredValues & { kind: K } {
  if (!isKind(values, kind)) throw new TypeError(`values of the kind ${values.kind}, not ${kind}`);
  return values;
}

function isKind<K extends StoredValues["kind"]>(values: StoredValues, kind: K): values is StoredValues & { kind: K } {
  return values.kind === kind;
}

function expect(what: string, found: number, wanted: number): void {
  if (found !== wanted) throw new TypeError(`${found} ${what} where ${wanted} belong`);
}

/** Null for a null dataspace, `[]` for a scalar. The first dimension is null as long as it is unknown. */
export type Shape = ArrayDescription["shape"];

export type RowShape = readonly [rows: number | null, ...rest: number[]];

export function hasRows(shape: Shape): shape is RowShape {
  return shape !== null && shape.length > 0;
}

const MAX_DIMENSIONS = 32;

/**
 * @throws {UnsupportedError} for more dimensions than the format supports.
 * @throws {InvalidInputError} for an impossible size, or more than 2^53 elements.
 */
export function checkShape(shape: readonly number[]): void {
  if (shape.length > MAX_DIMENSIONS) {
    throw new UnsupportedError(`${shape.length} dimensions; HDF5 has at most ${MAX_DIMENSIONS}`);
  }
  let elements = 1;
  for (const size of shape) {
    if (!Number.isSafeInteger(size) || size < 0) throw new InvalidInputError(`a dimension of ${size}`);
    elements *= Math.max(1, size);
  }
  if (elements > Number.MAX_SAFE_INTEGER) {
    throw new InvalidInputError(`shape ${shape.join(" x ")} has more than 2^53 elements`);
  }
}

const encoder = new TextEncoder();

/**
 * Encodes a name, without its terminating NUL.
 * @throws {InvalidInputError} for names that HDF5 cannot hold.
 */
export function nameBytes(name: string, what: string): Uint8Array {
  const shown = JSON.stringify(name);
  if (name === "") throw new UnsupportedElementError(`${what} is empty`);
  if (name.includes("\0")) throw new UnsupportedElementError(`${what} ${shown} has a NUL, which ends names in HDF5`);
  // UTF-8 would encode each unpaired surrogate as a replacement character.
  if (/\p{Surrogate}/u.test(name)) throw new UnsupportedElementError(`${what} ${shown} has half of a surrogate pair`);
  return encoder.encode(name);
}

/**
 * Encodes the name of a group's member.
 * @throws {InvalidInputError} for names that HDF5 cannot hold.
 */
export function encodeLinkName(name: string): Uint8Array {
  if (name === ".") throw new UnsupportedElementError('the name "." stands for the group itself in HDF5');
  if (name.includes("/")) {
    throw new UnsupportedElementError(`the name ${JSON.stringify(name)} has a "/", which separates names in HDF5`);
  }
  return nameBytes(name, "the name");
}

/** Compares names in the order that libhdf5 uses when it searches for them. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}
