/** Sizes of elements in the file. */

import { InvalidInputError, UnsupportedError } from "../../../../model/errors.js";
import { countElements, type StoredField, type StoredType } from "../../../../model/stored.js";

/**
 * Size in bytes of a reference to a variable-length value: the value's length, the address of a heap, and an index into
 * the heap.
 */
export const POINTER_BYTES = 16;

/** The maximum size that fits into the format's 32 bits. */
const MAX_BYTES = 2 ** 32 - 1;

/**
 * @throws {UnsupportedError} for types that HDF5 cannot represent.
 * @throws {InvalidInputError} for a size of 0 or beyond 32 bits.
 */
export function countElementBytes(type: StoredType): number {
  switch (type.kind) {
    case "bool":
      return 1;
    case "int":
    case "float":
    case "complex":
      return type.bits / 8;
    case "enum":
      return type.base.bits / 8;
    case "text":
      if (type.storage.form === "variable") return POINTER_BYTES;
      if (type.storage.encoding === "utf-32") throw new UnsupportedError("UTF-32 text: HDF5 has ASCII and UTF-8 alone");
      return checked(type.storage.width, "text");
    case "bytes":
      return type.width === null ? POINTER_BYTES : checked(type.width, "bytes");
    case "reference":
      return 8;
    case "record":
      return checked(
        type.fields.reduce((sum, field) => sum + countFieldBytes(field), 0),
        "a record",
      );
    case "sequence":
      return POINTER_BYTES;
    case "datetime":
    case "timedelta":
      throw new UnsupportedError(`${type.kind} values: HDF5 has no type for them`);
    case "unsupported":
      throw new UnsupportedError(type.name);
    default:
      return type satisfies never;
  }
}

/** Returns the size in bytes of a field, including its sub-array. */
export function countFieldBytes({ type, shape }: StoredField): number {
  return countElementBytes(type) * countElements(shape);
}

function checked(bytes: number, what: string): number {
  if (Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_BYTES) return bytes;
  throw new InvalidInputError(`${what} of ${bytes} bytes as an HDF5 type; 1 to ${MAX_BYTES} are possible`);
}

/** True if elements refer to a heap. */
export function isVariable(type: StoredType): boolean {
  switch (type.kind) {
    case "text":
      return type.storage.form === "variable";
    case "bytes":
      return type.width === null;
    case "sequence":
      return true;
    case "record":
      return type.fields.some((field) => isVariable(field.type));
    default:
      return false;
  }
}

/** True if a typed array of such values contains exactly the bytes that the file stores. */
export function isVerbatim(type: StoredType): boolean {
  return (
    type.kind !== "text" &&
    type.kind !== "record" &&
    type.kind !== "sequence" &&
    !(type.kind === "bytes" && type.width === null)
  );
}
