// The arrays of make_bpcells.py as Arrow tables, in memory.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Dictionary,
  Field,
  Int32,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Uint32,
  Utf8,
  vectorFromArray,
} from "apache-arrow";

function array(folder, name, Type) {
  const bytes = readFileSync(join(folder, `${name}.bin`));
  return new Type(bytes.buffer, bytes.byteOffset, bytes.byteLength / Type.BYTES_PER_ELEMENT);
}

/** The matrix, one list of entries a column, and its shape. */
export function listTable(folder) {
  const [index, value] = ["index", "value"].map((name) => array(folder, name, Uint32Array));
  const pointers = Int32Array.from(array(folder, "pointers", BigInt64Array), Number);
  const fields = [new Field("index", new Int32(), false), new Field("value", new Uint32(), false)];
  const entry = new Struct(fields);
  const positions = new Int32Array(index.buffer, index.byteOffset, index.length);
  const child = makeData({
    type: entry,
    length: value.length,
    nullCount: 0,
    children: [
      makeData({ type: new Int32(), length: value.length, nullCount: 0, data: positions }),
      makeData({ type: new Uint32(), length: value.length, nullCount: 0, data: value }),
    ],
  });
  const type = new List(new Field("item", entry, false));
  const entries = makeData({ type, length: pointers.length - 1, nullCount: 0, valueOffsets: pointers, child });
  const shape = [...array(folder, "shape", Uint32Array)];
  const metadata = new Map([["annarrow", JSON.stringify({ kind: "csc_matrix", shape, order: "column" })]]);
  return { matrix: tableOf([new Field("entries", type, false)], [entries], metadata), shape };
}

/** Fragments by chromosome and start. */
export function fragmentsTable(folder) {
  const text = (count, name) =>
    vectorFromArray(
      Array.from({ length: count }, (_, i) => name(i)),
      new Utf8(),
    );
  const dictionary = (name, names) => {
    const data = array(folder, name, Int32Array);
    const type = new Dictionary(new Utf8(), new Int32());
    return makeData({ type, length: data.length, nullCount: 0, data, dictionary: names });
  };
  const numbers = (name) => {
    const data = array(folder, name, Uint32Array);
    return makeData({ type: new Uint32(), length: data.length, nullCount: 0, data });
  };
  const columns = {
    chr: dictionary(
      "chr",
      text(24, (i) => `chr${i < 22 ? i + 1 : "XY"[i - 22]}`),
    ),
    start: numbers("start"),
    end: numbers("end"),
    cell_id: dictionary(
      "cell_id",
      text(20_000, (i) => `CELL${String(i).padStart(12, "0")}-1`),
    ),
  };
  const fields = Object.entries(columns).map(([name, { type }]) => new Field(name, type, false));
  return tableOf(fields, Object.values(columns), new Map());
}

function tableOf(fields, children, metadata) {
  const schema = new Schema(fields, metadata);
  const { length } = children[0];
  const batch = new RecordBatch(schema, makeData({ type: new Struct(fields), length, nullCount: 0, children }));
  return new Table([batch]);
}
