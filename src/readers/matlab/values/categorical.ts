/** `categorical` objects: codes that count from 1, where 0 is undefined, and the names of the categories. */

import { InvalidDataError } from "../../../model/errors.js";
import { textArray } from "./memory-array.js";
import { rowsOf } from "./numeric.js";
import { isTrue, textsOf } from "./property.js";
import type { ObjectValue } from "./value.js";
import type { ValueColumn } from "./value-column.js";

/** @throws {InvalidDataError} where the properties are not those of a categorical. */
export async function categoricalColumn(value: ObjectValue, inFrame: boolean): Promise<ValueColumn> {
  const [object] = value.objects;
  const codes = object?.get("codes");
  const names = await textsOf(object?.get("categoryNames"));
  if (codes?.kind !== "numeric" || names === null) throw new InvalidDataError("a categorical without codes or names");
  const ordered = await isTrue(object?.get("isOrdinal"));
  const isProtected = await isTrue(object?.get("isProtected"));
  const array = rowsOf(codes, inFrame);
  const metadata = { ...value.metadata, ...(isProtected ? { protected: true } : {}) };
  return {
    plan: {
      kind: "categorical",
      codes: { kind: "array", array },
      categories: { kind: "array", array: textArray("categoryNames", names) },
      ordered,
      oneBased: true,
    },
    nullable: true,
    rows: array.shape?.[0] ?? 1,
    size: codes.size,
    kind: "categorical",
    metadata,
  };
}
