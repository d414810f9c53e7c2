/** Batches whose unions hold the values of their own rows alone: apache-arrow's slices keep those of all. */

import { type Data, DataType, type RecordBatch } from "apache-arrow";
import { rawData } from "../../arrow/apache/raw-data.js";
import { recordBatch } from "../../tables/record-batch.js";

/** The same rows; of unions in lists the values stay. */
export function compactUnions(batch: RecordBatch): RecordBatch {
  if (!batch.schema.fields.some(({ type }) => hasUnion(type))) return batch;
  return recordBatch(batch.schema, batch.numRows, batch.data.children.map(compact));
}

function hasUnion(type: DataType): boolean {
  if (DataType.isDenseUnion(type)) return true;
  return DataType.isStruct(type) && type.children.some((field) => hasUnion(field.type));
}

function compact(data: Data): Data {
  const { type, length } = data;
  if (!hasUnion(type)) return data;
  if (!DataType.isDenseUnion(type)) {
    return data.clone(type, data.offset, length, data.nullCount, data.buffers, data.children.map(compact));
  }
  const typeIds = data.typeIds.slice(0, length);
  const offsets = Int32Array.from(data.valueOffsets.subarray(0, length));
  const children = data.children.map((child, i) => {
    const rows = [...typeIds.keys()].filter((row) => typeIds[row] === type.typeIds[i]);
    const first = rows.reduce((least, row) => Math.min(least, offsets[row]), child.length);
    const end = rows.reduce((most, row) => Math.max(most, offsets[row] + 1), first);
    for (const row of rows) offsets[row] -= first;
    return compact(child.slice(first, end - first));
  });
  return rawData(type, length, 0, { typeIds, offsets }, children);
}
