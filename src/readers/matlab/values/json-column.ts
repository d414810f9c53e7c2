/** Makes one JSON text per row for those variables of a table that cannot become one column. */

import type { ColumnPlan } from "../../../jobs/plan/plan.js";
import { countElements } from "../../../model/stored.js";
import { createMatlabTextArray, readFixedValues } from "./memory-array.js";
import { toColumnMajorArray } from "./numeric.js";
import { readStrings } from "./strings.js";
import type { NumericValue, Value } from "./value.js";

/** Maximum number of values in a JSON array. Larger arrays are replaced by their class and size. */
const MAX_VALUES = 4096;

/** Maximum nesting depth in JSON. Deeper values are replaced by their class and size. */
const MAX_DEPTH = 16;

/**
 * Maximum number of values in one text. Further values are written as their class and size, because objects can refer
 * to each other in many ways.
 */
const MAX_PARTS = 2 ** 16;

/** The number of values that can still be read. */
interface Budget {
  left: number;
}

/**
 * Creates one text per row, which means one per element for a cell or struct array. Any other value becomes one text in
 * the first row.
 */
export async function createJsonColumn(path: string, value: Value, rows: number): Promise<ColumnPlan> {
  const texts: string[] = [];
  for (let row = 0; row < rows; row++)
    texts.push(JSON.stringify(await jsonOf(rowOf(value, row, rows), 0, { left: MAX_PARTS })));
  return { kind: "array", array: createMatlabTextArray(path, texts) };
}

export function toPropertiesJson(object: ReadonlyMap<string, Value>): Promise<unknown> {
  return namedJson(object, 0, { left: MAX_PARTS });
}

/** Makes JSON from an object's properties, or from a struct's fields. */
async function namedJson(object: ReadonlyMap<string, Value>, depth: number, budget: Budget): Promise<unknown> {
  const properties: [string, unknown][] = [];
  for (const [name, property] of object) properties.push([name, await jsonOf(property, depth + 1, budget)]);
  // `fromEntries` is safe for properties named __proto__.
  return Object.fromEntries(properties);
}

function rowOf(value: Value, row: number, rows: number): Value {
  if (value.kind === "cell" && value.items.length === rows) return value.items[row];
  if (value.kind === "struct" && value.columns.every((column) => column.length === rows)) {
    return { ...value, size: [1, 1], columns: value.columns.map((column) => [column[row]]) };
  }
  return row === 0 ? value : { kind: "cell", class: "", size: [0, 0], metadata: {}, items: [] };
}

async function jsonOf(value: Value, depth: number, budget: Budget): Promise<unknown> {
  const described = { class: value.class, size: value.size };
  if (depth > MAX_DEPTH || --budget.left < 0) return described;
  switch (value.kind) {
    case "numeric":
      return await numbers(value);
    case "char":
      return value.texts === null ? described : value.texts.length === 1 ? value.texts[0] : value.texts;
    case "cell": {
      const items: unknown[] = [];
      for (const item of value.items) items.push(await jsonOf(item, depth + 1, budget));
      return items;
    }
    case "struct": {
      const elements: unknown[] = [];
      for (let i = 0; i < (value.columns[0]?.length ?? 0); i++) {
        const element = new Map(value.fields.map((field, k) => [field, value.columns[k][i]]));
        elements.push(await namedJson(element, depth, budget));
      }
      return elements.length === 1 ? elements[0] : elements;
    }
    case "object": {
      if (value.class === "string") {
        const { texts } = await readStrings(value);
        return texts.length === 1 ? texts[0] : texts;
      }
      const objects: unknown[] = [];
      for (const object of value.objects) objects.push(await namedJson(object, depth, budget));
      return { ...described, objects };
    }
    case "failed":
      return { error: value.error.problem };
    case "enumeration":
    case "sparse":
    case "plain":
    case "raw":
      return described;
    default:
      return value satisfies never;
  }
}

async function numbers(value: NumericValue): Promise<unknown> {
  if (countElements(value.size) > MAX_VALUES || value.type.kind === "complex")
    return { class: value.class, size: value.size };
  const { values } = await readFixedValues(toColumnMajorArray(value), MAX_VALUES);
  const list = Array.from(values, (one: number | bigint) =>
    typeof one === "bigint" ? (Number.isSafeInteger(Number(one)) ? Number(one) : String(one)) : jsonNumber(one),
  );
  return list.length === 1 ? list[0] : list;
}

function jsonNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
