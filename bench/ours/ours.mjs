// What the library does, each task in a process of its own: node bench/ours/ours.mjs DIST TASK IN [ARGUMENT…]
//
//   convert IN FOLDER parquet|arrow   every table of the file to a folder
//   table COORDINATE OUT              the coordinate table, in memory, to Parquet (zstd)
//   matrix IN, list IN                X as record batches in memory, in coordinate or list layout
//   obs IN                            obs as an Arrow table
//   write IN OUT LAYOUT OPTIONS       X in that layout, obs and var, in memory, to a store; options as JSON
//   store IN OUT OPTIONS              the file to a store
//   split IN FOLDER COLUMN            the file to one .h5ad for each value of a column of obs
//   part IN OUT obs|var POSITIONS     the cells or genes at these positions (comma-separated), to a gzip .h5ad
//   concat FOLDER OUT inner|outer N   the files of the folder to one, uncompressed, N times (once by default)
//   union FOLDER OUT N                the files of the folder, N times, to the union OUT
//   plan FOLDER OUT                   the plan of such a union, in tasks of ten files
//   task FOLDER OUT N                 one task of ten files, of a union of the first N files; its plan is made before
//   col IN GENE, row IN CELLS         the entries of X at these positions (comma-separated)
//   gene-row IN GENE                  the entries of one gene of a BPCells store
//
// Prints {"seconds", "result"}: the time of the task without the start of Node and the import of the library, with the
// start of its workers; and what tells that the other side found the same values.

import { createWriteStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";

const [dist, task, source, ...rest] = process.argv.slice(2);
const { concat, convert, open, parquetFile, planUnion, runUnionTask, split, union, write } = await import(
  pathToFileURL(join(dist, "node.js")).href
);

async function collected(table, options) {
  const batches = [];
  for await (const batch of table.batches(options)) batches.push(batch);
  return batches;
}

/** Each: what is done before the clock starts, what it times, and what is told of the result after it stopped (sums.mjs). */
const TASKS = {
  convert: { run: () => convert(source, rest[0], { format: rest[1] }), tell: null },
  table: {
    prepare: async () => (await import("./coordinate-table.mjs")).coordinateTable(source),
    run: (table) => pipeline(Readable.from(parquetFile(table)), createWriteStream(rest[0])),
    tell: null,
  },
  matrix: { run: async () => collected((await opened()).table("X")), tell: "ofBatches" },
  list: { run: async () => collected(await (await opened()).table("X").layout("list")), tell: "ofLists" },
  obs: { run: async () => (await opened()).table("obs").read(), tell: "ofTable" },
  part: {
    run: async () => {
      const part = await (await opened()).select({ [rest[1]]: rest[2].split(",").map(Number) });
      return write(rest[0], part, { compression: "gzip" });
    },
    tell: null,
  },
  col: { run: async () => entries({ col: [Number(rest[0])] }), tell: "ofEntries" },
  write: {
    prepare: async () => {
      const file = await open(source);
      const x = await file.table("X").layout(rest[1]);
      const tables = { X: await x.read(), obs: await file.table("obs").read(), var: await file.table("var").read() };
      await file.close();
      return tables;
    },
    run: (tables) => write(rest[0], tables, JSON.parse(rest[2])),
    tell: null,
  },
  store: { run: () => convert(source, rest[0], JSON.parse(rest[1])), tell: null },
  split: { run: async () => split(await opened(), rest[0], { by: rest[1] }), tell: null },
  union: {
    prepare: () => inputs(Number(rest[1])),
    run: (files) => union(files, rest[0], { ids: files.map((_, i) => String(i)) }),
    tell: null,
  },
  plan: {
    prepare: () => inputs(),
    run: (files) => planUnion(files, rest[0], { tasks: files.length / 10 }),
    tell: null,
  },
  task: {
    prepare: async () => {
      const files = inputs().slice(0, Number(rest[1]));
      const plan = `${rest[0]}.json`;
      writeFileSync(plan, JSON.stringify(await planUnion(files, rest[0], { tasks: files.length / 10 })));
      return plan;
    },
    run: (plan) => runUnionTask(JSON.parse(readFileSync(plan, "utf8")), 3),
    tell: null,
  },
  concat: {
    prepare: () => inputs(Number(rest[2] ?? 1)),
    run: async (files) => {
      const all = await concat(files, { join: rest[1] });
      await write(rest[0], all, { compression: "none" });
      await all.close();
    },
    tell: null,
  },
  row: { run: async () => entries({ row: rest[0].split(",").map(Number) }), tell: "ofEntries" },
  "gene-row": { run: async () => entries({ row: [Number(rest[0])] }, "matrix"), tell: "ofTransposedEntries" },
};

/** The files of the folder, some times. */
function inputs(times = 1) {
  const files = readdirSync(source).sort();
  return Array.from({ length: times }, () => files.map((name) => join(source, name))).flat();
}

let data = null;

async function opened() {
  data = await open(source);
  return data;
}

const entries = async (where, name = "X") => (await opened()).table(name).read({ where });

const { prepare, run, tell } = TASKS[task];
const prepared = await prepare?.();
// As the peers import pyarrow. What the library loads besides, when it needs it, is within the time.
if (tell !== null) await import("apache-arrow");
const began = performance.now();
const found = await run(prepared);
const seconds = (performance.now() - began) / 1000;
await data?.close();
const result = tell === null ? null : (await import("./sums.mjs"))[tell](found);
console.log(JSON.stringify({ seconds, result }));
