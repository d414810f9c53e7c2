/** The values of Arrow columns as the JSON that make_tables.py writes: what codes stand for, integers as text. */

import { type Data, DataType, Precision, type Table } from "apache-arrow";
import { decodeFloat16 } from "../../../src/kernels/values/number-bits.js";

export function plainValues(table: Table): Record<string, unknown[]> {
  return Object.fromEntries(placedValues(table).map(({ name, values }) => [name, values]));
}

/** The columns by their places: names may repeat, as make_foreign_tables.py lists them. */
export function placedValues(table: Table): { readonly name: string; readonly values: unknown[] }[] {
  return table.schema.fields.map(({ name }, i) => ({
    name,
    values: table.batches.flatMap(({ numRows, data }) =>
      Array.from({ length: numRows }, (_, row) => valueAt(data.children[i], row)),
    ),
  }));
}

function valueAt(data: Data, row: number): unknown {
  const { values, valueOffsets, children, offset, stride, dictionary } = data;
  const type: DataType = data.type;
  if (DataType.isUnion(type)) {
    const child = children[type.typeIdToChildIndex[data.typeIds[row]]];
    return valueAt(child, DataType.isDenseUnion(type) ? valueOffsets[row] : row);
  }
  if (DataType.isNull(type) || !data.getValid(row)) return null;
  if (DataType.isDictionary(type)) {
    const parts = dictionary?.data ?? [];
    let at = Number(values[row]);
    for (const part of parts) {
      if (at < part.length) return valueAt(part, at);
      at -= part.length;
    }
    return "no such value";
  }
  if (DataType.isBool(type)) return ((values[(offset + row) >> 3] >> ((offset + row) & 7)) & 1) === 1;
  if (DataType.isStruct(type)) {
    const parts = children.map((child) => valueAt(child, row));
    const names = type.children.map(({ name }) => name);
    return new Set(names).size < names.length ? parts : Object.fromEntries(names.map((name, i) => [name, parts[i]]));
  }
  if (DataType.isFixedSizeList(type)) return items(children[0], row * type.listSize, (row + 1) * type.listSize);
  if (valueOffsets !== undefined) {
    const [start, end] = [Number(valueOffsets[row]), Number(valueOffsets[row + 1])];
    if (DataType.isMap(type)) return items(children[0], start, end).map((entry) => Object.values(Object(entry)));
    if (children.length > 0) return items(children[0], start, end);
    const bytes = Buffer.from(values.subarray(start, end));
    return bytes.toString(DataType.isUtf8(type) || DataType.isLargeUtf8(type) ? "utf8" : "base64");
  }
  if (DataType.isFixedSizeBinary(type))
    return Buffer.from(values.subarray(row * stride, (row + 1) * stride)).toString("base64");
  if (DataType.isDecimal(type)) {
    const words: bigint[] = [0, 1, 2, 3].map((i) => BigInt(values[4 * row + i]) << BigInt(32 * i));
    const value = BigInt.asIntN(128, words[0] | words[1] | words[2] | words[3]);
    const digits = String(value < 0n ? -value : value).padStart(type.scale + 1, "0");
    return `${value < 0n ? "-" : ""}${digits.slice(0, -type.scale)}.${digits.slice(-type.scale)}`;
  }
  if (DataType.isFloat(type))
    return floatText(type.precision === Precision.HALF ? decodeFloat16(values[row]) : values[row]);
  return String(values[row]);
}

function items(child: Data, start: number, end: number): unknown[] {
  return Array.from({ length: end - start }, (_, i) => valueAt(child, start + i));
}

/** As Python writes it. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value).replace("e+", "e+");
  return /[.e]/.test(text) ? text : `${text}.0`;
}
