// What a page does, ours and its peers: each task gives milliseconds, and what tells that both sides had the same values.

import { open, parquetFile } from "annarrow";
import { tableFromArrays } from "apache-arrow";
import { parquetWriteBuffer } from "hyparquet-writer";
import * as zarr from "zarrita";

/** Runs `task`, and adds the milliseconds that it took. */
async function timed(task) {
  const began = performance.now();
  const told = await task();
  return { ms: performance.now() - began, told };
}

/** X of a file or an address, as coordinate batches, whose values are summed. */
const batches = (input) =>
  timed(async () => {
    const data = await open(input);
    let count = 0;
    let sum = 0;
    for await (const batch of data.table("X").batches({ reuse: true })) {
      const { values, length } = batch.data.children[2];
      count += length;
      for (let i = 0; i < length; i++) sum += values[i];
    }
    await data.close();
    return { count, sum };
  });

/** X of a file as one Parquet file, whose bytes are counted. */
const parquet = (file) =>
  timed(async () => {
    const data = await open(file);
    let bytes = 0;
    for await (const part of parquetFile(data.table("X"), { compression: "zstd" })) bytes += part.length;
    await data.close();
    return { bytes };
  });

/** data, indices and indptr of X by h5wasm in a worker, which mounts the file. */
const h5wasm = (file) =>
  timed(
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL("h5wasm-worker.js", document.baseURI), { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
        worker.postMessage(file);
      }),
  );

/** data, indices and indptr of X in a Zarr store, by zarrita. */
const zarrita = (address) =>
  timed(async () => {
    const root = zarr.root(new zarr.FetchStore(address));
    const read = async (name) => (await zarr.get(await zarr.open.v2(root.resolve(name), { kind: "array" }))).data;
    const [values] = [await read("X/data"), await read("X/indices"), await read("X/indptr")];
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[i];
    return { count: values.length, sum };
  });

/** Columns in memory, as those of a coordinate table. */
function columns(rows) {
  const [row, col, value] = [new Int32Array(rows), new Int32Array(rows), new Float32Array(rows)];
  for (let i = 0; i < rows; i++) {
    row[i] = i >> 11;
    col[i] = (i * 37) % 20000;
    value[i] = (i * 7919) % 61;
  }
  return { row, col, value };
}

/** A table of apache-arrow as the tables of a dataset are, which sinks take. */
function dataTable({ schema, batches, numRows }) {
  const only = () => Promise.reject(new Error("there is one form"));
  return {
    ...{ name: "entries", schema, rows: numRows, metadata: { kind: "table" }, derived: false, axis: null, layouts: [] },
    ...{ layout: only, read: only },
    async *batches() {
      yield* batches;
    },
  };
}

const writing = (rows) => {
  const table = dataTable(tableFromArrays(columns(rows)));
  return timed(async () => {
    let bytes = 0;
    for await (const part of parquetFile(table, { compression: "snappy" })) bytes += part.length;
    return { bytes };
  });
};

const hyparquet = (rows) => {
  const { row, col, value } = columns(rows);
  const columnData = [
    { name: "row", data: row, type: "INT32" },
    { name: "col", data: col, type: "INT32" },
    { name: "value", data: value, type: "FLOAT" },
  ];
  return timed(async () => ({ bytes: parquetWriteBuffer({ columnData }).byteLength }));
};

window.tasks = { batches, parquet, h5wasm, zarrita, writing, hyparquet };
