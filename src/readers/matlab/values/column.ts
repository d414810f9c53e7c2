/** Makes columns from single values: arrays of numbers and text, and objects that contain such arrays. */

import type { ArrowType } from "../../../arrow/type.js";
import { getColumnType } from "../../../jobs/rows/columns.js";
import { InvalidDataError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { hasNullableRows } from "../../element.js";
import { createEnumerationColumn } from "./enumeration.js";
import { createMatlabTextArray } from "./memory-array.js";
import { toNumericRows } from "./numeric.js";
import { createStringColumn, isSingleTrue, readStringTexts } from "./strings.js";
import { createCalendarColumn, createTimeColumn } from "./times.js";
import { createMissingColumn, type ObjectValue, type Value, type ValueColumn } from "./value.js";

export function getValueColumnType({ plan }: ValueColumn): ArrowType {
  return getColumnType(plan);
}

/**
 * Converts a value to a column; null for values that do not form a single column.
 * @param inFrame whether the value is a variable of a table.
 */
export async function createValueColumn(value: Value, inFrame: boolean): Promise<ValueColumn | null> {
  switch (value.kind) {
    case "numeric": {
      const array = toNumericRows(value, inFrame);
      const kind = countElements(value.size) === 1 ? "numeric-scalar" : "array";
      const rows = array.shape?.[0] ?? 1;
      const { size, metadata } = value;
      return { plan: { kind: "array", array }, nullable: hasNullableRows(array), rows, size, kind, metadata };
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
          return await createStringColumn(value, inFrame);
        case "categorical":
          return await createCategoricalColumn(value, inFrame);
        case "datetime":
        case "duration":
          return await createTimeColumn(value, inFrame);
        case "calendarDuration":
          return await createCalendarColumn(value, inFrame);
        case "missing":
          return inFrame && !isColumn(value.size)
            ? null
            : createMissingColumn(countElements(value.size), value.size, value.metadata);
        default:
          return null;
      }
    case "enumeration":
      return createEnumerationColumn(value, inFrame);
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

/** Whether characters have the size 0 x 0, which means that there is no text. An empty text has the size 1 x 0. */
function isNothing([rows, columns]: readonly number[]): boolean {
  return rows === 0 && columns === 0;
}

/**
 * Creates the column for a `categorical` object. Its codes count from 1, and 0 means undefined.
 * @throws {InvalidDataError} if it has other properties.
 */
async function createCategoricalColumn(value: ObjectValue, inFrame: boolean): Promise<ValueColumn> {
  const [object] = value.objects;
  const codes = object?.get("codes");
  const names = await readStringTexts(object?.get("categoryNames"));
  if (codes?.kind !== "numeric" || names === null) throw new InvalidDataError("a categorical without codes or names");
  const ordered = await isSingleTrue(object?.get("isOrdinal"));
  const isProtected = await isSingleTrue(object?.get("isProtected"));
  const array = toNumericRows(codes, inFrame);
  const metadata = { ...value.metadata, ...(isProtected ? { protected: true } : {}) };
  return {
    plan: {
      kind: "categorical",
      codes: { kind: "array", array },
      categories: { kind: "array", array: createMatlabTextArray("categoryNames", names) },
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
