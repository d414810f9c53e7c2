// What the library does with BPCells stores: node bench/ours/ours-bpcells.mjs DIST REPEAT TASK IN [ARGUMENT…]
//
//   batches STORE owned|reused    the whole matrix as record batches in coordinate layout, one after the other
//   sums STORE col|row            sums by column or row
//   columns STORE IDS             the entries of these columns (comma-separated)
//   write FOLDER OUT              the matrix of the arrays in FOLDER, in memory, to a directory
//   store IN OUT OPTIONS          a file to a directory; options as JSON
//   fragments STORE               all fragments as record batches, one after the other
//   write-fragments FOLDER OUT    the fragments of the arrays in FOLDER, in memory, to a directory
//   kernels KIND WIDTH up|down    packs or unpacks 64 M integers of this width in memory
//
// Each runs REPEAT times; prints {"seconds", "all", "result"}: the median, without the start of Node and the import of the
// library, and what tells that the other side found the same values.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { median } from "../statistics.mjs";

const [dist, repeat, task, source, ...rest] = process.argv.slice(2);
const { axisSums, convert, open, write } = await import(pathToFileURL(join(dist, "node.js")).href);

async function opened(run) {
  const data = await open(source);
  try {
    return await run(data);
  } finally {
    await data.close();
  }
}

/** Number of rows of all batches. */
async function passed(table, options) {
  let rows = 0;
  for await (const batch of table.batches(options)) rows += batch.numRows;
  return rows;
}

async function toldOfBatches(table) {
  const { ofBatches } = await import("./sums.mjs");
  const sums = { entries: 0, row: 0, col: 0, value: 0 };
  for await (const batch of table.batches()) {
    for (const [name, sum] of Object.entries(ofBatches([batch]))) sums[name] += sum;
  }
  return sums;
}

function toldOfSums(sums) {
  let [total, weighted, greatest] = [0, 0, 0];
  for (let i = 0; i < sums.length; i++) {
    total += sums[i];
    weighted += sums[i] * (i + 1);
    greatest = Math.max(greatest, sums[i]);
  }
  return { total, weighted, greatest };
}

const out = task.startsWith("write") || task === "store" ? rest[0] : null;

/** Each: what is done before the clock starts, what it times, and what is told of it after it stopped. */
const TASKS = {
  batches: {
    run: () => opened((data) => passed(data.table("matrix"), rest[0] === "reused" ? { reuse: true } : {})),
    tell: () => opened((data) => toldOfBatches(data.table("matrix"))),
  },
  sums: { run: () => opened((data) => axisSums(data.table("matrix"), rest[0])), tell: toldOfSums },
  columns: {
    run: () => opened((data) => data.table("matrix").read({ where: { col: rest[0].split(",").map(Number) } })),
    tell: async (table) => (await import("./sums.mjs")).ofEntries(table),
  },
  write: {
    prepare: async () => (await import("./bpcells-arrays.mjs")).listTable(source),
    run: ({ matrix, shape }) => write(out, { matrix }, { format: "bpcells", shape }),
  },
  store: { run: () => convert(source, out, { format: "bpcells", ...JSON.parse(rest[1]) }) },
  fragments: { run: () => opened((data) => passed(data.table("fragments"))), tell: (rows) => ({ rows }) },
  "write-fragments": {
    prepare: async () => (await import("./bpcells-arrays.mjs")).fragmentsTable(source),
    run: (fragments) => write(out, { fragments }, { format: "bpcells" }),
  },
  kernels: {
    prepare: async () => (await import("./bpcells-kernels.mjs")).prepared(source, Number(rest[0]), rest[1]),
    run: (kernel) => kernel(),
  },
};

const { prepare, run, tell } = TASKS[task];
const prepared = await prepare?.();
// As the peers import numpy. What the library loads besides, when it needs it, is within the time.
if (task !== "kernels") await import("apache-arrow");
const all = [];
let found;
for (let i = 0; i < Number(repeat); i++) {
  if (out !== null) rmSync(out, { recursive: true, force: true });
  found = undefined;
  const began = performance.now();
  found = await run(prepared);
  all.push((performance.now() - began) / 1000);
}
const result = (await tell?.(found)) ?? null;
console.log(JSON.stringify({ seconds: median(all), all, result }));
