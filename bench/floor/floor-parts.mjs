// The least time of parts and unions of .h5ad: node bench/floor/floor-parts.mjs TASK IN … (the arguments of ours.mjs)
//
//   part IN OUT obs|var POSITIONS     the cells or genes at these positions (comma-separated)
//   concat FOLDER OUT inner|outer     the files of the folder to one, uncompressed; outer: genes get other positions
//   union FOLDER OUT N                the files of the folder, N times, as row groups of Parquet; genes get other positions
//
// As many workers as cores do with X what nobody can leave out, by the kernels of the library: they inflate the chunks
// that hold chosen entries, filter or move the entries, deflate or encode what is compressed, and write it. Nothing is opened,
// checked, sorted or sent within the time: chunks lie in memory before. No program with these kernels can be faster.
// Prints {"seconds", "cpu", "result"}, with the CPU seconds of this time alone; OUT is no .h5ad.

import { fsyncSync, openSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { bundled, importBundled } from "../../scripts/import-bundled.mjs";

const [task, source, out, choice, positions] = process.argv.slice(2);
const { openFileSource, openContainer } = await importBundled(
  "src/containers/open/open-container.ts",
  "src/io/sources/file.node.ts",
);
const folder = task === "part" ? null : readdirSync(source).map((name) => join(source, name));
const files =
  folder === null ? [source] : Array.from({ length: task === "union" ? Number(choice) : 1 }, () => folder).flat();
const chosen = positions?.split(",").map(Number);

let entries = 0;
const units = [];
let how = task === "union" ? { kind: "encoded" } : { kind: choice === "outer" ? "moved" : "copied" };
for (const path of files) {
  const container = await openContainer(await openFileSource(path), { path });
  const x = await container.root.open("X");
  if (task === "part") how = await filterOf(x);
  const [indices, data] = [await encodedChunks(x, "indices"), await encodedChunks(x, "data")];
  if (indices.count !== data.count) throw new Error(`${path}: chunks of ${indices.count} and ${data.count} values`);
  for (let i = 0; i < indices.chunks.length; i++) {
    const first = i * indices.count;
    const length = Math.min(indices.count, indices.length - first);
    if (how.kind === "rows" && !how.ranges.some(([start, end]) => start < first + length && end > first)) continue;
    units.push({
      first,
      length,
      at: entries + first,
      count: indices.count,
      stored: [indices.chunks[i], data.chunks[i]],
    });
  }
  entries += indices.length;
  await container.close();
}

const { url, remove } = await bundled("bench/floor/floor-worker.mjs");
const file = openSync(out, "w");
const next = new Int32Array(new SharedArrayBuffer(4));
const end = new BigInt64Array(new SharedArrayBuffer(8));
const [began, used] = [performance.now(), process.cpuUsage()];
const workerData = { units, how, entries, next, end, file };
await Promise.all(
  Array.from({ length: availableParallelism() }, () => {
    const worker = new Worker(url, { workerData });
    return new Promise((resolve, reject) => worker.on("error", reject).on("exit", resolve));
  }),
);
fsyncSync(file);
const { user, system } = process.cpuUsage(used);
console.log(JSON.stringify({ seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6, result: null }));
await remove();

/** What the entries of a chunk must be to be kept. */
async function filterOf(x) {
  const genes = Number(x.attributes.get("shape")[1]);
  if (choice === "var") {
    const kept = new Uint8Array(new SharedArrayBuffer(genes));
    for (const position of chosen) kept[position] = 1;
    return { kind: "columns", kept };
  }
  const indptr = await x.open("indptr");
  const { values } = await indptr.read(0, indptr.shape[0]);
  return { kind: "rows", ranges: chosen.map((row) => [Number(values[row]), Number(values[row + 1])]) };
}

/** The chunks of an array in memory that all workers see, in their order. */
async function encodedChunks(x, name) {
  const array = await x.open(name);
  const chunks = [];
  for await (const piece of (await array.capabilities.storedChunks.find()).pieces(false)) {
    const bytes = new Uint8Array(new SharedArrayBuffer(piece.bytes.length));
    bytes.set(piece.bytes);
    for (const { place, start, length } of piece.chunks) chunks[place] = bytes.subarray(start, start + length);
    piece.release();
  }
  return { chunks, count: array.chunks[0], length: array.shape[0] };
}
