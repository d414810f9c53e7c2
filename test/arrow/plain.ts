/** Values out of Arrow's buffers, read one by one from the memory layout that Arrow's specification gives. */

import { type Data, type RecordBatch, RecordBatchStreamWriter, type Table, Type, tableFromIPC } from "apache-arrow";
import { toRecordBatch, toSchema } from "../../src/arrow/apache/apache.js";
import type { Column } from "../../src/arrow/column.js";
import { createField } from "../../src/arrow/type.js";

/** Floats are the text of their bits, so that NaN, -0.0 and payloads count; bytes are hexadecimal text. */
export type Plain = null | boolean | number | bigint | string | readonly Plain[] | { readonly [name: string]: Plain };

/** What comes out of an IPC stream of these batches. */
export function throughIpc(batches: readonly RecordBatch[]): Table {
  const writer = new RecordBatchStreamWriter();
  for (const batch of batches) writer.write(batch);
  writer.finish();
  return tableFromIPC(writer.toUint8Array(true));
}

/** The values of a column after it has been written to IPC and read again. */
export function roundTrip(column: Column): Plain[] {
  return plainColumn(
    throughIpc([toRecordBatch(toSchema([createField("value", column.type)], new Map()), [column], column.length)]),
    0,
  );
}

/** All values of a table's column. */
export function plainColumn(table: Table, i: number): Plain[] {
  return table.batches.flatMap((batch) => {
    const data = batch.data.children[i];
    return Array.from({ length: batch.numRows }, (_, row) => plain(data, row));
  });
}

export function plainRows(table: Table): Plain[][] {
  const columns = table.schema.fields.map((_, i) => plainColumn(table, i));
  return Array.from({ length: table.numRows }, (_, row) => columns.map((column) => column[row]));
}

/** Value `i`; `float` says what a float is. */
export function plain(data: Data, i: number, float: (values: Data["values"], i: number) => Plain = bitsOf): Plain {
  const { type } = data;
  if (type.typeId !== Type.Union && type.typeId !== Type.Null && !data.getValid(i)) return null;
  const at = data.offset + i;
  switch (type.typeId) {
    case Type.Null:
      return null;
    case Type.Bool:
      return ((data.values[at >> 3] >> (at & 7)) & 1) === 1;
    case Type.Int:
    case Type.Date:
    case Type.Timestamp:
    case Type.Duration:
      return data.values[i];
    case Type.Float:
      return float(data.values, i);
    case Type.Utf8:
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(slice(data, i));
    case Type.Binary:
      return hex(slice(data, i));
    case Type.FixedSizeBinary:
      return hex(data.values.subarray(i * data.stride, (i + 1) * data.stride));
    case Type.List:
      return range(data.valueOffsets[i], data.valueOffsets[i + 1]).map((k) => plain(data.children[0], k, float));
    case Type.FixedSizeList:
      return range(at * data.stride, (at + 1) * data.stride).map((k) => plain(data.children[0], k, float));
    case Type.Struct:
      return Object.fromEntries(data.children.map((child, k) => [data.type.children[k].name, plain(child, i, float)]));
    case Type.Union:
      return plain(data.children[data.typeIds[i]], data.valueOffsets[i], float);
    case Type.Dictionary: {
      const place = Number(data.values[i]);
      const chunk = data.dictionary?.data[0];
      if (chunk === undefined || place >= chunk.length) throw new RangeError(`index ${place} without a value`);
      return plain(chunk, place, float);
    }
    default:
      throw new TypeError(`no reading of ${type}`);
  }
}

/** The bits of a float as text: `f32:7fc00000`. */
export function bitsOf(values: ArrayLike<number> & ArrayBufferView, i: number): string {
  const width = values instanceof Float64Array ? 8 : values instanceof Float32Array ? 4 : 2;
  const bytes = new Uint8Array(values.buffer, values.byteOffset + i * width, width);
  return `f${width * 8}:${hex(bytes.slice().reverse())}`;
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function slice(data: Data, i: number): Uint8Array {
  return data.values.subarray(data.valueOffsets[i], data.valueOffsets[i + 1]);
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, k) => start + k);
}
