/**
 * Writes HDF5 files of every kind of value, with our own writer:
 *
 *     node test/interop/written/make_written_hdf5.mjs OUT/
 *
 * test_written_hdf5.py knows what must be in them.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importBundled } from "../../../scripts/import-bundled.mjs";
import { kinds } from "./written_hdf5_kinds.mjs";
import { attribute, fixed, int, numbers, put, strings, text, times } from "./written_hdf5_values.mjs";

const { createHdf5, encodeChunk, createBytesTarget } = await importBundled(
  "src/containers/hdf5/write/container.ts",
  "src/kernels/codecs/encode-chunk.ts",
  "src/io/targets/memory.ts",
);

const out = process.argv[2];
mkdirSync(out, { recursive: true });

const encoder = {
  window: 3,
  memory: (bytes) => new Uint8Array(bytes).fill(0xa5),
  encode: encodeChunk,
  close() {},
};

async function write(name, options, fill) {
  const target = createBytesTarget(name);
  const file = createHdf5(target, { encoder, compression: { kind: "none" }, ...options });
  await fill(file);
  await file.close();
  await target.commit();
  writeFileSync(join(out, `${name}.h5`), target.bytes());
}

/** What JavaScript's own order of strings gets wrong, and what file systems or shells would take for something else. */
async function names({ root }) {
  const odd = [
    "a",
    "B",
    "ä",
    "\u{10000}",
    "\ufffd",
    "\ue000",
    "..",
    "a.b",
    " ",
    "\n",
    "%2F",
    "*",
    "\\",
    "é",
    "e\u0301",
  ];
  for (const name of [...odd, "x".repeat(300)]) {
    const group = await root.group(name);
    group.attribute(name, attribute(text(), [], strings([name])));
    await put(group, name, { type: int(8), shape: [] }, fixed(Int8Array.of(1)), 1);
  }
  let deep = root;
  for (let i = 0; i < 200; i++) deep = await deep.group("deep");
}

/** Sizes at which a node, a block or a message is just full. */
async function borders({ root }) {
  for (const count of [0, 1, 8, 9, 16, 17, 64, 65, 255, 256, 257, 2048, 2049, 4096, 4097]) {
    const group = await root.group(`g${count}`);
    for (let i = 0; i < count; i++) await group.group(`m${i}`);
  }
  for (const count of [1, 63, 64, 65, 128, 129, 4095, 4096, 4097]) {
    const values = (from, to) => fixed(Int32Array.from(times(to - from, (i) => from + i)));
    await put(root, `c${count}`, { type: int(32), shape: [null], chunks: [1] }, values, count, 1000);
  }
  for (const shape of [
    [65, 1],
    [1, 65],
    [64, 65],
  ]) {
    const [rows, columns] = shape;
    const values = fixed(Int32Array.from(times(rows * columns, (i) => Math.floor(i / columns) * 1000 + (i % columns))));
    await put(root, `d${shape.join("x")}`, { type: int(32), shape: [null, columns], chunks: [1, 1] }, values, rows);
  }
  const sizes = [0, 1, 7, 8, 9, 4048, 4056, 4064, 4072, 4080, 65_503, 65_504, 65_512, 65_520, 65_528, 65_535, 65_536];
  const objects = [...sizes, 200_000, 2_000_000].map((size) => "a".repeat(size));
  await put(root, "heap", { type: text(), shape: [objects.length] }, strings(objects), objects.length);
  await put(
    root,
    "heap_single",
    { type: text(), shape: [objects.length] },
    (i) => strings([objects[i]]),
    objects.length,
    1,
  );
  for (const size of [4040, 4048, 4056, 4064, 4072, 4080]) {
    await put(root, `h${size}`, { type: text(), shape: [1] }, strings(["b".repeat(size)]), 1);
  }
  await put(root, "tiny", { type: text(), shape: [70_000] }, strings(times(70_000, () => "x")), 70_000);
  await put(root, "empty", { type: text(), shape: [70_000] }, strings(times(70_000, () => "")), 70_000);
  for (const size of [65_000, 65_440, 65_448, 65_456, 65_464, 65_472, 65_480, 65_488, 65_520, 65_528, 65_536]) {
    const group = await root.group(`attribute${size}`);
    group.attribute("a", attribute(int(8), [size], fixed(numbers(Int8Array, size))));
    group.attribute("b", attribute(text(), [], strings(["beside it"])));
  }
  for (const compact of [1, 2040, 2048, 2056]) {
    await put(root, `bytes${compact}`, { type: int(8), shape: [compact] }, fixed(numbers(Int8Array, compact)), compact);
  }
}

async function manyChunks({ root }) {
  const values = (from, to) => fixed(Int16Array.from(times(to - from, (i) => (from + i) % 30_000)));
  await put(root, "d", { type: int(16), shape: [null], chunks: [1] }, values, 200_000, 50_000);
}

const gzip = { compression: { kind: "gzip", level: 4 } };
await write("plain", {}, (file) => kinds(file, 10_000));
await write("gzip", gzip, (file) => kinds(file));
await write("all", { ...gzip, shuffle: "all", fletcher32: true, userBlock: new Uint8Array(513).fill(7) }, (file) =>
  kinds(file),
);
await write("sums", { fletcher32: true, userBlock: new Uint8Array(1), compactBytes: 4096, manyChunks: true }, (file) =>
  kinds(file),
);
await write("names", {}, names);
await write("borders", {}, borders);
await write("borders_compact", { compactBytes: 65_520, manyChunks: true }, borders);
await write("many_chunks", {}, manyChunks);
await write("many_chunks_flat", { manyChunks: true }, manyChunks);
await write("nothing", {}, async () => {});
