// What the library does with Loom files, each task in a process of its own: node bench/ours/ours-loom.mjs DIST TASK IN [ARGUMENT…]
//
//   batches IN           the whole matrix as record batches in coordinate layout, one after the other
//   matrix IN            the same, all of them in memory
//   dense IN ROWS        each of these rows (comma-separated) as one list
//   row IN ROWS          the non-zeros of each of these rows
//   col IN COLS          the non-zeros of each of these columns
//   column IN COLS       each of these columns in layout columns
//   write IN OUT LAYOUT  X of IN (.h5ad) in that layout, obs and var, in memory, to OUT
//   convert IN OUT       the file to OUT
//
// Prints {"seconds", "result"}: the time of the task, of rows and columns that of the median read, without the start of Node,
// the import of the library and, of rows and columns, the opening of the file; and what tells that the other side found the same values.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dist, task, source, ...rest] = process.argv.slice(2);
const { convert, open, write } = await import(pathToFileURL(join(dist, "node.js")).href);
const positions = () => rest[0].split(",").map(Number);

const opened = [];

/** The matrix in a layout. */
async function matrix(layout) {
  const data = await open(source);
  opened.push(data);
  return await data.table("matrix").layout(layout);
}

/** Seconds of each read. */
const reads = [];

/** One table for each position. */
async function each(table, options) {
  const found = [];
  for (const at of positions()) {
    const began = performance.now();
    found.push(await table.read(options(at, table)));
    reads.push((performance.now() - began) / 1000);
  }
  return found;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

async function passed(table, see) {
  for await (const batch of table.batches()) see(batch);
}

const { ofBatches, ofEntries } = await import("./sums.mjs");

function total(parts) {
  const sums = { entries: 0, row: 0, col: 0, value: 0 };
  for (const part of parts) for (const [name, sum] of Object.entries(part)) sums[name] += sum;
  return sums;
}

/** The same of dense rows or columns: `at` says which. */
function ofDense(name, other, at, values) {
  const sums = { entries: 0, [name]: 0, [other]: 0, value: 0 };
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0) continue;
    sums.entries++;
    sums[name] += at;
    sums[other] += i;
    sums.value += values[i];
  }
  return sums;
}

const flat = (vector) => vector.data[0].values.subarray(0, vector.length);

/** Each: what is done before the clock starts, what it times, and what is told of it after it stopped. */
const TASKS = {
  batches: {
    prepare: () => null,
    async run() {
      let rows = 0;
      await passed(await matrix("coordinate"), ({ numRows }) => (rows += numRows));
      return rows;
    },
    async tell() {
      const parts = [];
      await passed(await matrix("coordinate"), (batch) => parts.push(ofBatches([batch])));
      return total(parts);
    },
  },
  matrix: {
    prepare: () => null,
    async run() {
      const batches = [];
      await passed(await matrix("coordinate"), (batch) => batches.push(batch));
      return batches;
    },
    tell: ofBatches,
  },
  dense: {
    prepare: () => matrix("dense"),
    run: (table) => each(table, (at) => ({ rows: [at, at + 1] })),
    tell: (found) => {
      const rows = positions();
      return total(found.map((table, i) => ofDense("row", "col", rows[i], flat(table.getChildAt(0).getChildAt(0)))));
    },
  },
  row: {
    prepare: () => matrix("coordinate"),
    run: (table) => each(table, (at) => ({ where: { row: [at] } })),
    tell: (found) => total(found.map(ofEntries)),
  },
  col: {
    prepare: () => matrix("coordinate"),
    run: (table) => each(table, (at) => ({ where: { col: [at] } })),
    tell: (found) => total(found.map(ofEntries)),
  },
  column: {
    async prepare() {
      const table = await matrix("columns");
      // The schema has a field for each of them.
      return { table, names: table.schema.fields.map(({ name }) => name) };
    },
    run: ({ table, names }) => each(table, (at) => ({ columns: [names[at]] })),
    tell: (found) => {
      const cols = positions();
      return total(found.map((table, i) => ofDense("col", "row", cols[i], flat(table.getChildAt(0)))));
    },
  },
  write: {
    async prepare() {
      const file = await open(source);
      const x = await file.table("X").layout(rest[1]);
      const tables = { X: await x.read(), obs: await file.table("obs").read(), var: await file.table("var").read() };
      await file.close();
      return tables;
    },
    run: (tables) => write(rest[0], tables, { format: "loom" }),
    tell: () => null,
  },
  convert: { prepare: () => null, run: () => convert(source, rest[0], { format: "loom" }), tell: () => null },
};

const { prepare, run, tell } = TASKS[task];
// As the peer imports numpy. What the library loads besides, when it needs it, is within the time.
await import("apache-arrow");
const prepared = await prepare();
const began = performance.now();
const found = await run(prepared);
const seconds = reads.length > 0 ? median(reads) : (performance.now() - began) / 1000;
console.log(JSON.stringify({ seconds, result: await tell(found) }));
for (const data of opened) await data.close();
