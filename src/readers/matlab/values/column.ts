/** Makes columns of single values: arrays of numbers and text, and objects with such arrays. */

import type { ArrowType } from "../../../arrow/type.js";
import { columnType } from "../../../jobs/rows/columns.js";
import { InvalidDataError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import { arrayMayBeNull } from "../../element.js";
import { enumerationColumn } from "./enumeration.js";
import { textArray } from "./memory-array.js";
import { numericRows } from "./numeric.js";
import { isSingleTrue, stringColumn, textsOf } from "./strings.js";
import { calendarColumn, timeColumn } from "./times.js";
import { missingColumn, type ObjectValue, type Value, type ValueColumn } from "./value.js";

export function typeOf({ plan }: ValueColumn): ArrowType {
  return columnType(plan);
}

/**
 * Converts a value to a column; null for values that do not form a single column.
 * @param inFrame whether the value is a variable of a table.
 */
export async function columnOf(value: Value, inFrame: boolean): Promise<ValueColumn | null> {
  switch (value.kind) {
    case "numeric": {
      const array = numericRows(value, inFrame);
      const kind = product(value.size) === 1 ? "numeric-scalar" : "array";
      const rows = array.shape?.[0] ?? 1;
      const { size, metadata } = value;
      return { plan: { kind: "array", array }, nullable: arrayMayBeNull(array), rows, size, kind, metadata };
    }
    case "char": {
      const { column, size, metadata } = value;
      const rows = size.length < 2 ? 1 : isNothing(size) && !inFrame ? 0 : size[0];
      const kind = rows === 1 ? "string" : "string-array";
      return { plan: column, nullable: false, rows, size, kind, metadata };
    }
    case "object":
      switch (value.class) {
        case "string":
          return await stringColumn(value, inFrame);
        case "categorical":
          return await categoricalColumn(value, inFrame);
        case "datetime":
        case "duration":
          return await timeColumn(value, inFrame);
        case "calendarDuration":
          return await calendarColumn(value, inFrame);
        case "missing":
          return inFrame && !isColumn(value.size)
            ? null
            : missingColumn(product(value.size), value.size, value.metadata);
        default:
          return null;
      }
    case "enumeration":
      return enumerationColumn(value, inFrame);
    case "cell":
    case "struct":
    case "sparse":
    case "plain":
    case "raw":
    case "failed":
      return null;
    default:
      return value satisfies never;
  }
}

function isColumn(size: readonly number[]): boolean {
  return size.length === 2 && size[1] === 1;
}

/** Whether characters have the size 0 x 0, which contains no text. An empty text has the size 1 x 0. */
function isNothing([rows, columns]: readonly number[]): boolean {
  return rows === 0 && columns === 0;
}

/**
 * Creates the column of a `categorical` object: its codes count from 1, and 0 means undefined.
 * @throws {InvalidDataError} for other properties.
 */
export async function categoricalColumn(value: ObjectValue, inFrame: boolean): Promise<ValueColumn> {
  const [object] = value.objects;
  const codes = object?.get("codes");
  const names = await textsOf(object?.get("categoryNames"));
  if (codes?.kind !== "numeric" || names === null) throw new InvalidDataError("a categorical without codes or names");
  const ordered = await isSingleTrue(object?.get("isOrdinal"));
  const isProtected = await isSingleTrue(object?.get("isProtected"));
  const array = numericRows(codes, inFrame);
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
