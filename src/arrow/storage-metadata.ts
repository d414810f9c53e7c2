/**
 * Field metadata for those properties of the stored type that the Arrow type cannot express. `written-type.ts` reads
 * this metadata when the field is written. Reading loads only this module.
 */

import type { StoredField, StoredType } from "../model/stored.js";

/** The JSON stored under the key `annarrow` of a field, or of a table with one column. */
export type FieldMetadata = Readonly<Record<string, unknown>>;

/**
 * Returns field metadata for all properties of a stored type that its Arrow type cannot express. This is the inverse of
 * `storedTypeOf`.
 */
export function toStorageMetadata(type: StoredType): FieldMetadata {
  switch (type.kind) {
    case "text":
      return type.storage.form === "fixed" ? { storage: type.storage } : {};
    case "enum":
      return { members: type.members.map(({ name, value }) => ({ name, value: Number(value) })), base: type.base };
    case "datetime":
    case "timedelta":
      return type.isDate ? {} : { unit: type.unit, step: type.step };
    case "record": {
      const fields = type.fields.map((one) => toStorageMetadata(one.type));
      const plain = fields.every((one) => Object.keys(one).length === 0);
      return plain && !looksComplex(type.fields) ? {} : { fields };
    }
    case "sequence": {
      const items = toStorageMetadata(type.item);
      return Object.keys(items).length === 0 ? {} : { items };
    }
    default:
      return {};
  }
}

/** True if a struct with these fields could be mistaken for complex numbers. */
function looksComplex(fields: readonly StoredField[]): boolean {
  return fields.map((one) => one.name).join() === "real,imag";
}
