/** Reads numbers and logicals: the type that belongs to each class, and arrays of rows. */

import type { StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError } from "../../../model/errors.js";
import { countElements, type NumberArray, type StoredType, type StoredValues } from "../../../model/stored.js";
import { getAttributeMetadata } from "./attributes.js";
import { emptyArray } from "./memory-array.js";
import type { NumericValue } from "./value.js";

const INTEGERS = ([8, 16, 32, 64] as const).flatMap((bits): (readonly [string, StoredType])[] => [
  [`int${bits}`, { kind: "int", bits, signed: true }],
  [`uint${bits}`, { kind: "int", bits, signed: false }],
]);

const TYPES: ReadonlyMap<string, StoredType> = new Map<string, StoredType>([
  ["double", { kind: "float", bits: 64 }],
  ["single", { kind: "float", bits: 32 }],
  ["logical", { kind: "bool" }],
  ...INTEGERS,
]);

/**
 * Maximum number of logicals that are checked when a file is opened. In larger arrays, a value other than 0 and 1
 * causes an error when it is read.
 */
const LOOKED_THROUGH = 2 ** 24;

const BYTE: StoredType = { kind: "int", bits: 8, signed: false };

/** Returns the type of a class's values; null for classes that are not numeric. */
export function findNumericType(name: string): StoredType | null {
  return TYPES.get(name) ?? null;
}

/** Makes a value like `readNumericValue` if nothing needs to be read for this; otherwise null. */
export function getNumericInMemory(name: string, dataset: StoredArray): NumericValue | null {
  if (name === "logical" && dataset.type.kind !== "bool") {
    const held = dataset.capabilities?.inMemory?.();
    if (held?.kind !== "fixed" || !sameType(dataset.type, BYTE)) return null;
    return numericOf(name, dataset, areLogical(held.values));
  }
  return numericOf(name, dataset, true);
}

/** Makes a value from numbers or logicals. @throws {InvalidDataError} if the stored type is not that of the class. */
export async function readNumericValue(name: string, dataset: StoredArray): Promise<NumericValue> {
  const isBytes = name === "logical" && sameType(dataset.type, BYTE);
  return numericOf(name, dataset, !isBytes || (await isLogical(dataset)));
}

/**
 * Creates a numeric value from a dataset.
 * @param logical whether all values are 0 or 1, for the class `logical`.
 * @throws {InvalidDataError} if the stored type is not that of the class.
 */
function numericOf(name: string, dataset: StoredArray, logical: boolean): NumericValue {
  const size = (dataset.shape ?? []).toReversed();
  const metadata = getAttributeMetadata(dataset);
  const value = (type: StoredType, more = metadata): NumericValue => ({
    kind: "numeric",
    class: name,
    size,
    metadata: more,
    type,
    dataset,
  });
  const wanted = TYPES.get(name);
  const { type } = dataset;
  if (isComplexRecord(type)) return value(complexType(type) ?? type);
  if (type.kind === "complex") return value(type);
  if (name === "logical" && (type.kind === "bool" || sameType(type, BYTE))) {
    if (type.kind === "bool" || logical) return value({ kind: "bool" });
    return value(type, { ...metadata, notLogical: true });
  }
  if (wanted === undefined || !sameType(type, wanted)) {
    throw new InvalidDataError(`class ${name}, stored as ${typeName(type)}`, { element: dataset.path });
  }
  return value(type);
}

/** Whether all values are 0 or 1. Returns true for large arrays, which are not read. */
async function isLogical(dataset: StoredArray): Promise<boolean> {
  const shape = dataset.shape ?? [];
  if (countElements(shape) > LOOKED_THROUGH) return true;
  const read = await dataset.read(0, shape[0] ?? 1);
  return read.kind === "fixed" && areLogical(read.values);
}

function areLogical(values: NumberArray): boolean {
  return values.every((value: number | bigint) => Number(value) <= 1);
}

function sameType(a: StoredType, b: StoredType): boolean {
  if (a.kind === "int" && b.kind === "int") return a.bits === b.bits && a.signed === b.signed;
  return a.kind === "float" && b.kind === "float" && a.bits === b.bits;
}

function typeName(type: StoredType): string {
  if (type.kind === "int") return `${type.signed ? "" : "u"}int${type.bits}`;
  return type.kind === "float" ? `float${type.bits}` : type.kind;
}

const REAL = /^(r|re|real)$/i;
const IMAGINARY = /^(i|im|imag|imaginary)$/i;

type RecordType = Extract<StoredType, { kind: "record" }>;

function isComplexRecord(type: StoredType): type is RecordType {
  return (
    type.kind === "record" &&
    type.fields.length === 2 &&
    REAL.test(type.fields[0].name) &&
    IMAGINARY.test(type.fields[1].name)
  );
}

/** Returns a record's complex type; null if its parts are not floats, so that it remains a record. */
function complexType({ fields }: RecordType): StoredType | null {
  const [real, imaginary] = fields.map((field) => field.type);
  if (real.kind !== "float" || !sameType(real, imaginary) || real.bits === 16) return null;
  return { kind: "complex", bits: real.bits === 32 ? 64 : 128 };
}

/** Converts a dataset of pairs of floats to an array of complex numbers. Other arrays are returned unchanged. */
export function withComplex(array: StoredArray): StoredArray {
  const type = isComplexRecord(array.type) ? complexType(array.type) : null;
  if (type?.kind !== "complex") return array;
  const { kind, path, id, attributes, shape, chunks } = array;
  const { view } = array.capabilities ?? {};
  return {
    ...{ kind, path, id, attributes, type, shape, chunks },
    read: async (start, end, options) => interleaved(await array.read(start, end, options), type.bits),
    capabilities: view === undefined ? undefined : { view: (form) => withComplex(view(form)) },
  };
}

function interleaved(values: StoredValues, bits: 64 | 128): StoredValues {
  if (values.kind !== "record") return values;
  const [real, imaginary] = values.fields;
  if (real.kind !== "fixed" || imaginary.kind !== "fixed") throw new TypeError("complex numbers are pairs of floats");
  const out = bits === 64 ? new Float32Array(2 * values.length) : new Float64Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    out[2 * i] = Number(real.values[i]);
    out[2 * i + 1] = Number(imaginary.values[i]);
  }
  return { kind: "fixed", values: out };
}

/**
 * Makes an array with a row for each row of the matrix, in MATLAB's index order. For a vector, there is a row for each
 * element.
 * @param inFrame whether the value is a variable of a table. If so, 1 x n is one row.
 */
export function toNumericRows(value: NumericValue, inFrame: boolean): StoredArray {
  const { size, type, dataset } = value;
  const isVector = size.length === 2 && (size[1] === 1 || (size[0] === 1 && !inFrame));
  const shape = isVector ? [countElements(size)] : size;
  if (dataset === null) return emptyArray("", type, shape);
  const array = withComplex(dataset);
  const bool = type.kind === "bool" && array.type.kind !== "bool";
  // Here, an array in memory is always a single value, which needs no view.
  const { view } = array.capabilities ?? {};
  if (view === undefined) return isVector ? { ...array, shape } : array;
  if (size.length < 2 && !bool) return array;
  return view({ form: isVector || size.length < 2 ? "flat" : "reversed", bool });
}

/** Makes an array of all values in column-major order, which is the order in the file. */
export function toColumnMajorArray(value: NumericValue): StoredArray {
  const { dataset, type } = value;
  if (dataset === null) return emptyArray("", type, [0]);
  const array = withComplex(dataset);
  if (type.kind !== "bool" || array.type.kind === "bool") return array;
  const { kind, path, id, attributes, shape, chunks } = array;
  const { inMemory } = array.capabilities ?? {};
  return {
    ...{ kind, path, id, attributes, shape, chunks, type },
    read: (...range) => array.read(...range),
    capabilities: inMemory === undefined ? undefined : { inMemory },
  };
}
