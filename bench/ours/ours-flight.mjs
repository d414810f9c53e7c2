// What a Flight server has to do before it sends: node bench/ours/ours-flight.mjs DIST IN
//
// X of IN as record batches in coordinate layout, one after the other. Prints {"seconds", "cpu", "result"}: the time once
// workers run, without the start of Node, the import of the library and the opening of the file; its CPU seconds; and what
// tells that the other side found the same values.

import { pathToFileURL } from "node:url";
import { ofBatches } from "./sums.mjs";

const [dist, source] = process.argv.slice(2);
const { open } = await import(pathToFileURL(`${dist}/node.js`).href);
await import("apache-arrow");

const data = await open(source);
const table = data.table("X");

const total = { entries: 0, row: 0, col: 0, value: 0 };
for await (const batch of table.batches()) {
  for (const [name, sum] of Object.entries(ofBatches([batch]))) total[name] += sum;
}

const before = process.cpuUsage();
const began = performance.now();
let rows = 0;
for await (const batch of table.batches()) rows += batch.numRows;
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(before);
if (rows !== total.entries) throw new Error(`${rows} rows, then ${total.entries}`);
console.log(JSON.stringify({ seconds, cpu: (user + system) / 1e6, result: total }));
await data.close();
