// What the library does with R objects, each task in a process of its own: node bench/ours/ours-r.mjs DIST TASK IN [OUT]
//
//   batches IN      opens the object and passes over its X as record batches in coordinate layout
//   convert IN OUT  the file (.h5ad) to a Seurat object of version 4
//
// Prints {"seconds", "cpu", "result"}: the time of the task without the start of Node and the import of the library, and the
// sums by which the other side shows that it found the same values.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ofBatches } from "./sums.mjs";

const [dist, task, source, out] = process.argv.slice(2);
const { convert, open } = await import(pathToFileURL(join(dist, "node.js")).href);

/** What is told of the batches after the clock stopped: a second pass, so that adding up takes no time of the first. */
async function sums(data) {
  const all = { entries: 0, row: 0, col: 0, value: 0 };
  for await (const batch of data.table("X").batches()) {
    for (const [name, sum] of Object.entries(ofBatches([batch]))) all[name] += sum;
  }
  return all;
}

const TASKS = {
  async batches() {
    const data = await open(source);
    for await (const batch of data.table("X").batches()) if (batch.numCols !== 3) throw new Error("no coordinates");
    return data;
  },
  async convert() {
    await convert(source, out, { format: "seurat.rds", seurat: "v4" });
    return null;
  },
};

const began = performance.now();
const data = await TASKS[task]();
const seconds = (performance.now() - began) / 1000;
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const spent = { seconds, cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024 };
const result = data === null ? null : await sums(data);
await data?.close();
console.log(JSON.stringify({ ...spent, result }));
