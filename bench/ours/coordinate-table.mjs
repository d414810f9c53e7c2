// A coordinate table as a user of the library may have it in memory.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Field, Float32, Int32, makeData, makeTable, RecordBatch, Schema, Struct } from "apache-arrow";

const ROWS = 2 ** 20;

/** Three typed arrays, read from the files of `folder` and handed out in slices. */
export function coordinateTable(folder) {
  const bytes = (name) => readFileSync(join(folder, `${name}.bin`)).buffer;
  const columns = [
    { name: "row", type: new Int32(), values: new Int32Array(bytes("row")) },
    { name: "col", type: new Int32(), values: new Int32Array(bytes("col")) },
    { name: "value", type: new Float32(), values: new Float32Array(bytes("value")) },
  ];
  const schema = new Schema(columns.map(({ name, type }) => new Field(name, type, false)));
  const rows = columns[0].values.length;
  async function* batches() {
    for (let at = 0; at < rows; at += ROWS) {
      const length = Math.min(ROWS, rows - at);
      const children = columns.map(({ type, values }) => makeData({ type, data: values.subarray(at, at + length) }));
      yield new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, children }));
    }
  }
  const read = async () => makeTable(Object.fromEntries(columns.map(({ name, values }) => [name, values])));
  const rest = { metadata: { kind: "coordinate" }, derived: false, axis: null, layouts: [] };
  return { name: "X", schema, rows, ...rest, batches, read, layout: () => Promise.reject(new Error("no layouts")) };
}
