/** Tables as plain values, so that two can be compared bit by bit, whatever their batches and buffers are. */

import { type Data, DataType, type Field, type Table } from "apache-arrow";

/** Schema, metadata, rows and whole dictionaries. Codes are compared, not what they stand for. */
export function plainTable(table: Table) {
  return {
    fields: table.schema.fields.map(plainField),
    metadata: Object.fromEntries(table.schema.metadata),
    rows: table.batches.flatMap(({ numRows, data }) =>
      Array.from({ length: numRows }, (_, row) => data.children.map((child) => bits(child, row))),
    ),
    dictionaries: dictionariesOf(table.batches[0].data),
  };
}

function plainField({ name, type, nullable, metadata }: Field): unknown {
  const ordered = "isOrdered" in type ? type.isOrdered : null;
  const children = (type.children ?? []).map(plainField);
  return { name, type: String(type), nullable, ordered, metadata: Object.fromEntries(metadata), children };
}

function dictionariesOf({ dictionary, children }: Data): unknown {
  const values = dictionary?.data.flatMap((part) => Array.from({ length: part.length }, (_, i) => bits(part, i)));
  return [values ?? null, children.map(dictionariesOf)];
}

function bits(data: Data, row: number): unknown {
  const { values, valueOffsets, children, offset, stride } = data;
  const type: DataType = data.type;
  if (DataType.isUnion(type)) {
    const child = children[type.typeIdToChildIndex[data.typeIds[row]]];
    return [data.typeIds[row], bits(child, DataType.isDenseUnion(type) ? valueOffsets[row] : row)];
  }
  if (DataType.isNull(type) || !data.getValid(row)) return null;
  if (DataType.isBool(type)) return ((values[(offset + row) >> 3] >> ((offset + row) & 7)) & 1) === 1;
  if (DataType.isStruct(type)) return children.map((child) => bits(child, row));
  if (DataType.isFixedSizeList(type)) return items(children[0], row * type.listSize, (row + 1) * type.listSize);
  if (valueOffsets !== undefined) {
    const [start, end] = [Number(valueOffsets[row]), Number(valueOffsets[row + 1])];
    return children.length > 0 ? items(children[0], start, end) : hex(values.subarray(start, end));
  }
  return hex(values.subarray(row * stride, (row + 1) * stride));
}

function items(child: Data, start: number, end: number): unknown[] {
  return Array.from({ length: end - start }, (_, i) => bits(child, start + i));
}

function hex(view: ArrayBufferView): string {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("hex");
}
