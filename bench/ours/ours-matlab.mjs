// What the library does with MATLAB files, each task in a process of its own: node bench/ours/ours-matlab.mjs DIST TASK IN [ARGUMENT…]
//
//   dense IN LAYOUT                the matrix m as record batches in that layout, one after the other
//   matrix IN LAYOUT               the same, all of them in memory
//   file IN                        every table of the file, in memory
//   sparse IN LAYOUT               the sparse matrix s as record batches, one after the other
//   write IN OUT LAYOUT COMPRESSION    s in that layout, in memory, to OUT: gzip 3 or none
//
// Prints {"seconds", "result"}: the time of the task, without the start of Node and the import of the library; and what
// tells that the other side found the same values.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dist, task, source, ...rest] = process.argv.slice(2);
const { open, write } = await import(pathToFileURL(join(dist, "node.js")).href);

const opened = [];

async function table(name, layout) {
  const data = await open(source);
  opened.push(data);
  const found = data.table(name);
  return layout === undefined ? found : await found.layout(layout);
}

async function passed(batches, see) {
  for await (const batch of batches) see(batch);
}

/** Sums of the doubles of a batch, which lie in any number of columns, in lists or not. */
function ofDoubles(batch) {
  const sums = { rows: batch.numRows, value: 0 };
  for (const { children, values } of batch.data.children) {
    const doubles = values ?? children[0].values;
    for (let i = 0; i < doubles.length; i++) sums.value += doubles[i];
  }
  return sums;
}

/** Of entries in coordinates or in lists. */
function ofEntries(batch) {
  const sums = { entries: 0, row: 0, value: 0 };
  const list = batch.getChild("entries")?.data[0];
  const [start, end] = list === undefined ? [0, batch.numRows] : [list.valueOffsets[0], list.valueOffsets[list.length]];
  const [row, value] = list === undefined ? [at(batch, "row"), at(batch, "value")] : list.children[0].children;
  sums.entries = end - start;
  for (let i = start; i < end; i++) {
    sums.row += Number(row.values[i]);
    sums.value += value.values[i];
  }
  return sums;
}

const at = (batch, name) => batch.getChild(name).data[0];

function total(parts) {
  const sums = {};
  for (const part of parts) for (const [name, sum] of Object.entries(part)) sums[name] = (sums[name] ?? 0) + sum;
  return sums;
}

async function summed(found, sums) {
  const parts = [];
  await passed(found.batches({ reuse: true }), (batch) => parts.push(sums(batch)));
  return total(parts);
}

const nothing = () => null;

/** Each: what is done before the clock starts, what it times, and what is told of it after it stopped. */
const TASKS = {
  dense: {
    prepare: nothing,
    run: async () => passed((await table("m", rest[0])).batches({ reuse: true }), nothing),
    tell: async () => summed(await table("m", rest[0]), ofDoubles),
  },
  matrix: {
    prepare: nothing,
    async run() {
      const batches = [];
      await passed((await table("m", rest[0])).batches(), (batch) => batches.push(batch));
      return batches;
    },
    tell: (batches) => total(batches.map(ofDoubles)),
  },
  file: {
    prepare: nothing,
    async run() {
      const data = await open(source);
      opened.push(data);
      const found = [];
      for (const name of data.tables.keys()) found.push(await data.table(name).read());
      return found;
    },
    tell: nothing,
  },
  sparse: {
    prepare: nothing,
    run: async () => passed((await table("s", rest[0])).batches({ reuse: true }), nothing),
    tell: async () => summed(await table("s", rest[0]), ofEntries),
  },
  write: {
    prepare: async () => (await table("s", rest[1])).read(),
    run: (held) => write(rest[0], { s: held }, { format: "mat", compression: rest[2] }),
    tell: nothing,
  },
};

const { prepare, run, tell } = TASKS[task];
// As the peer imports numpy and pyarrow. What the library loads besides, when it needs it, is within the time.
await import("apache-arrow");
const prepared = await prepare();
const began = performance.now();
const found = await run(prepared);
const seconds = (performance.now() - began) / 1000;
console.log(JSON.stringify({ seconds, result: await tell(found) }));
for (const data of opened) await data.close();
