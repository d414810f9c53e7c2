// A worker of floor-parts.mjs, which takes one pair of chunks after the other.

import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { openInflateKernel } from "../../src/kernels/codecs/deflate/inflate.ts";
import { encodeChunk } from "../../src/kernels/codecs/encode-chunk.ts";
import { describeFile } from "../../src/parquet/write/file-description.ts";
import { createRowGroupEncoder } from "../../src/parquet/write/row-group.ts";

/** As the library writes a .h5ad: the entries of a chunk, and how indices and values are compressed. */
const CHUNK = 2 ** 17;
const DEFLATE = { kind: "deflate", level: 4, form: "zlib" };
const INDICES = [{ kind: "shuffle", elementBytes: 4 }, DEFLATE];
const VALUES = [DEFLATE];

const { units, how, entries, next, end, file } = workerData;
const kernel = await openInflateKernel();
const most = Math.max(...units.map(({ count }) => count));
const [indices, values] = [new Int32Array(most), new Float32Array(most)];
/** Entries of a row group. */
const GROUP = 2 ** 20;
const room = (how.kind === "encoded" ? GROUP : CHUNK) + most;
const kept = { indices: new Int32Array(room), values: new Float32Array(room), length: 0 };
/** Entries of a row; every row costs as much. */
const ROW = 2200;
const [int32, int64, float32] = [
  { id: "Int", bits: 32, signed: true },
  { id: "Int", bits: 64, signed: true },
  { id: "Float", bits: 32 },
];
const fields = Object.entries({ row: int64, col: int32, value: float32 });
const { columns: described } = describeFile(
  fields.map(([name, type]) => ({ name, type, nullable: false })),
  new Map(),
  "zstd",
);
const encoder = await createRowGroupEncoder(described, "zstd");

for (let at = Atomics.add(next, 0, 1); at < units.length; at = Atomics.add(next, 0, 1)) {
  const { first, length, count, stored, at: place } = units[at];
  kernel.inflateInto(stored[0], bytesOf(indices, 0, count));
  kernel.inflateInto(stored[1], bytesOf(values, 0, count));
  if (how.kind === "copied" || how.kind === "moved") {
    // Every new position costs as much as this one.
    if (how.kind === "moved") for (let i = 0; i < length; i++) indices[i] ^= 1;
    writeSync(file, bytesOf(indices, 0, length), 0, 4 * length, 4 * place);
    writeSync(file, bytesOf(values, 0, length), 0, 4 * length, 4 * (entries + place));
  } else if (how.kind === "encoded") {
    for (let i = 0; i < length; i++) indices[i] ^= 1;
    kept.indices.set(indices.subarray(0, length), kept.length);
    kept.values.set(values.subarray(0, length), kept.length);
    kept.length += length;
    if (kept.length >= GROUP) await encode(GROUP);
  } else {
    if (how.kind === "columns") keepColumns(length);
    else keepRows(first, length);
    if (kept.length >= CHUNK) await store(CHUNK);
  }
}
if (kept.length > 0) await (how.kind === "encoded" ? encode(kept.length) : store(kept.length));

function bytesOf({ buffer }, start, length) {
  return new Uint8Array(buffer, 4 * start, 4 * length);
}

function keepColumns(length) {
  const wanted = how.kept;
  const { indices: to, values: toValues } = kept;
  let end = kept.length;
  for (let i = 0; i < length; i++) {
    to[end] = indices[i];
    toValues[end] = values[i];
    end += wanted[indices[i]];
  }
  kept.length = end;
}

function keepRows(first, length) {
  for (const [start, end] of how.ranges) {
    if (end <= first) continue;
    if (start >= first + length) break;
    const [from, to] = [Math.max(start - first, 0), Math.min(end - first, length)];
    kept.indices.set(indices.subarray(from, to), kept.length);
    kept.values.set(values.subarray(from, to), kept.length);
    kept.length += to - from;
  }
}

/** Encodes and writes the first entries as a row group. */
async function encode(length) {
  const rows = new BigInt64Array(length);
  for (let first = 0, row = 0n; first < length; first += ROW, row++) rows.fill(row, first, first + ROW);
  const columns = [rows, kept.indices, kept.values].map((all, i) => {
    const taken = all.subarray(0, length);
    return { layout: "primitive", type: fields[i][1], length, validity: null, values: taken };
  });
  const { bytes } = await encoder.encode([{ columns, from: 0, to: length }]);
  writeSync(file, bytes, 0, bytes.length, Number(Atomics.add(end, 0, BigInt(bytes.length))));
  for (const array of [kept.indices, kept.values]) array.copyWithin(0, length, kept.length);
  kept.length -= length;
}

/** Compresses and writes the first entries that were kept. */
async function store(length) {
  for (const [array, encoding] of [
    [kept.indices, INDICES],
    [kept.values, VALUES],
  ]) {
    const encoded = await encodeChunk(bytesOf(array, 0, length), encoding);
    writeSync(file, encoded, 0, encoded.length, Number(Atomics.add(end, 0, BigInt(encoded.length))));
    array.copyWithin(0, length, kept.length);
  }
  kept.length -= length;
}
