/**
 * Metadata of a field that keep what its Arrow type cannot say of the stored type. `written-type.ts` reads them when the
 * field is written. Reading loads this file alone.
 */

import type { StoredField, StoredType } from "../model/stored.js";

/** JSON under the key `annarrow` of a field, or of a table with one column. */
export type FieldMetadata = Readonly<Record<string, unknown>>;

/**
 * Metadata of a field for all parts of a stored type that its Arrow type does not have, the inverse of `storedTypeOf`.
 */
export function storageMetadata(type: StoredType): FieldMetadata {
  switch (type.kind) {
    case "text":
      return type.storage.form === "fixed" ? { storage: type.storage } : {};
    case "enum":
      return { members: type.members.map(({ name, value }) => ({ name, value: Number(value) })), base: type.base };
    case "datetime":
    case "timedelta":
      return type.isDate ? {} : { unit: type.unit, step: type.step };
    case "record": {
      const fields = type.fields.map((one) => storageMetadata(one.type));
      const plain = fields.every((one) => Object.keys(one).length === 0);
      return plain && !looksComplex(type.fields) ? {} : { fields };
    }
    case "sequence": {
      const items = storageMetadata(type.item);
      return Object.keys(items).length === 0 ? {} : { items };
    }
    default:
      return {};
  }
}

/** Whether the struct of these fields could be taken for complex numbers. */
function looksComplex(fields: readonly StoredField[]): boolean {
  return fields.map((one) => one.name).join() === "real,imag";
}
