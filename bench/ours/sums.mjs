// What peer.py prints of its results, of ours.

import { DataType } from "apache-arrow";

/** Of record batches of a coordinate table. */
export function ofBatches(batches) {
  const sums = { entries: 0, row: 0, col: 0, value: 0 };
  for (const batch of batches) {
    sums.entries += batch.numRows;
    for (const name of ["row", "col", "value"]) sums[name] += sumOf(batch.getChild(name));
  }
  return sums;
}

/** Of a coordinate table in memory. */
export const ofEntries = (table) => ofBatches(table.batches);

/** Of a coordinate table in memory, with rows as columns. */
export function ofTransposedEntries(table) {
  const { row, col, ...sums } = ofEntries(table);
  return { ...sums, row: col, col: row };
}

/** Of record batches in list layout: one column of lists of index and value. */
export function ofLists(batches) {
  const sums = { entries: 0, value: 0, col: 0, rows: 0 };
  for (const batch of batches) {
    sums.rows += batch.numRows;
    for (const { children, valueOffsets, length } of batch.getChildAt(0).data) {
      const [start, end] = [valueOffsets[0], valueOffsets[length]];
      const [index, value] = children[0].children;
      sums.entries += end - start;
      sums.col += total(index.values.subarray(start, end));
      sums.value += total(value.values.subarray(start, end));
    }
  }
  return sums;
}

/** Of a table of any flat columns. */
export function ofTable(table) {
  const sums = { rows: table.numRows, columns: table.numCols, nulls: 0, text: 0, number: 0 };
  for (const { name, type } of table.schema.fields) {
    const column = table.getChild(name);
    sums.nulls += column.nullCount;
    if (DataType.isDictionary(type)) {
      const lengths = Array.from(column.data[0].dictionary, (text) => Buffer.byteLength(text));
      for (const data of column.data) {
        for (let i = 0; i < data.length; i++) if (data.getValid(i)) sums.text += lengths[data.values[i]];
      }
    } else if (DataType.isUtf8(type)) {
      for (const { valueOffsets, length } of column.data) sums.text += valueOffsets[length] - valueOffsets[0];
    } else {
      sums.number += sumOf(column);
    }
  }
  return sums;
}

function sumOf(column) {
  let sum = 0;
  for (const data of column.data) {
    // Bits, numbers of 64 bits and nulls go value by value.
    if (data.nullCount === 0 && !DataType.isBool(data.type) && !(data.values instanceof BigInt64Array)) {
      sum += total(data.values.subarray(0, data.length));
    } else {
      const { values, type, offset } = data;
      for (let i = 0; i < data.length; i++) {
        if (!data.getValid(i)) continue;
        sum += DataType.isBool(type) ? (values[(offset + i) >> 3] >> ((offset + i) & 7)) & 1 : Number(values[i]);
      }
    }
  }
  return sum;
}

function total(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}
