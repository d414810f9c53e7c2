/** Groups the positions of an axis by the values of a column. */

import type { Column } from "../arrow/column.js";
import { decodeTextValues } from "../arrow/text.js";
import { describeArrowType } from "../arrow/type.js";
import type { ReadOptions } from "../io/sources/source.js";
import { compareByCodePoint } from "../kernels/text/names.js";
import { isBitSet } from "../kernels/values/bitmap.js";
import { decodeFloat16 } from "../kernels/values/number-bits.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";

/** A value by which positions are grouped; null for a missing value or NaN. */
export type GroupValue = string | number | bigint | boolean | null;

/** The positions of an axis, by group. Positions in a group are ascending. */
export interface AxisGroups {
  /** The distinct values: categories in their own order, numbers ascending, text by code point. null comes last. */
  readonly values: readonly GroupValue[];
  readonly positions: Int32Array;
  /** For each group, the end of its range in `positions`. */
  readonly ends: Int32Array;
}

/**
 * Groups the rows of a one-column table.
 * @throws {InvalidInputError} unless the values are categories, text, numbers or booleans.
 */
export async function readColumnGroups(table: ColumnTable, { signal }: ReadOptions): Promise<AxisGroups> {
  const codes = new Map<GroupValue, number>([[null, 0]]);
  const parts: Int32Array[] = [];
  let isCategorical = false;
  for await (const { columns } of table.batches({ signal })) {
    const [column] = columns;
    isCategorical = column.layout === "dictionary";
    parts.push(codesOf(column, codes, table.name));
  }
  const [, ...values] = codes.keys();
  if (!isCategorical) values.sort(compared);
  return grouped(parts, [...values, null], codes);
}

function codesOf(column: Column, codes: Map<GroupValue, number>, element: string): Int32Array {
  const codeOf = (value: GroupValue) => {
    const code = codes.get(value);
    if (code !== undefined) return code;
    codes.set(value, codes.size);
    return codes.size - 1;
  };
  if (column.layout !== "dictionary") return Int32Array.from(valuesOf(column, element), codeOf);
  const { indices, dictionary, validity, length } = column;
  const categories = Int32Array.from(valuesOf(dictionary, element), codeOf);
  return Int32Array.from({ length }, (_, i) =>
    validity !== null && !isBitSet(validity.bitmap, i) ? 0 : (categories[Number(indices[i])] ?? 0),
  );
}

function valuesOf(column: Column, element: string): GroupValue[] {
  const { length, validity } = column;
  const valid = (i: number) => validity === null || isBitSet(validity.bitmap, i);
  if (column.layout === "null") return Array.from({ length }, () => null);
  if (column.layout === "variable" && column.type.id === "Utf8") return decodeTextValues(column);
  if (column.layout === "primitive") {
    const { type, values } = column;
    const value = (i: number): GroupValue => {
      if (type.id === "Bool") return ((Number(values[i >> 3]) >> (i & 7)) & 1) === 1;
      return plainNumber(type.id === "Float" && type.bits === 16 ? decodeFloat16(Number(values[i])) : values[i]);
    };
    if (type.id === "Bool" || type.id === "Int" || type.id === "Float") {
      return Array.from({ length }, (_, i) => (valid(i) ? value(i) : null));
    }
  }
  throw new InvalidInputError(
    `values of type ${describeArrowType(column.type)} make no groups: categories, text, numbers and booleans do`,
    { element },
  );
}

function plainNumber(value: number | bigint): GroupValue {
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function compared(a: GroupValue, b: GroupValue): number {
  if (typeof a === "string" && typeof b === "string") return compareByCodePoint(a, b);
  if (a === null || b === null || a === b) return 0;
  return a < b ? -1 : 1;
}

function grouped(
  parts: readonly Int32Array[],
  values: readonly GroupValue[],
  codes: ReadonlyMap<GroupValue, number>,
): AxisGroups {
  const ranks = new Int32Array(values.length);
  for (const [rank, value] of values.entries()) ranks[codes.get(value) ?? 0] = rank;
  const next = new Int32Array(values.length + 1);
  for (const part of parts) for (const code of part) next[ranks[code] + 1]++;
  const counts = next.slice(1);
  for (let rank = 0; rank < values.length; rank++) next[rank + 1] += next[rank];
  const positions = new Int32Array(next[values.length]);
  let position = 0;
  for (const part of parts) for (const code of part) positions[next[ranks[code]]++] = position++;
  // `next` now contains the end of each group.
  const used = Array.from(values.keys()).filter((rank) => counts[rank] > 0);
  return { values: used.map((rank) => values[rank]), positions, ends: Int32Array.from(used, (rank) => next[rank]) };
}
