// What the library does where statements are measured: node bench/ours/ours-query.mjs DIST TASK IN [ARGUMENT…]
//
//   scan IN                the batches of X in coordinate layout, one after the other
//   first IN GENE FOLDER   the first gene that is asked for, by its copy in this folder
//   gene IN GENE FOLDER    a gene after another one
//   gene-http IN GENE      opening and one gene, by a web server that answers every request after 20 ms
//
// Prints {"seconds", "result"}, as ours.mjs does.

import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const LATENCY_MS = 20;

const [dist, task, source, gene, folder] = process.argv.slice(2);
const { open } = await import(pathToFileURL(join(dist, "node.js")).href);

/** Seconds of a task, and what it gave. */
async function timed(run) {
  const began = performance.now();
  const found = await run();
  return { seconds: (performance.now() - began) / 1000, found };
}

/** Of a gene's values in all cells. */
function told(values) {
  let entries = 0;
  let value = 0;
  for (const one of values) {
    if (one !== 0) entries++;
    value += one;
  }
  return { entries, value };
}

/** One gene of a file that is open, after those of these names. */
async function oneGene(before) {
  const data = await open(source, { companion: folder });
  for (const name of before) await data.gene(name);
  const { seconds, found } = await timed(() => data.gene(`g${gene}`));
  await data.close();
  return { seconds, result: told(found) };
}

const TASKS = {
  scan: async () => {
    const data = await open(source);
    const { seconds, found } = await timed(async () => {
      let entries = 0;
      for await (const batch of data.table("X").batches()) entries += batch.numRows;
      return entries;
    });
    await data.close();
    return { seconds, result: { entries: found } };
  },
  first: () => oneGene([]),
  gene: () => oneGene(["g0"]),
  "gene-http": async () => {
    const server = new Worker(new URL("slow-server.mjs", import.meta.url), {
      workerData: { folder: dirname(source), latency: LATENCY_MS },
    });
    const port = await new Promise((resolve) => server.once("message", resolve));
    const { seconds, found } = await timed(async () => {
      const data = await open(`http://127.0.0.1:${port}/${basename(source)}`);
      const values = await data.gene(`g${gene}`);
      await data.close();
      return values;
    });
    await server.terminate();
    return { seconds, result: told(found) };
  },
};

console.log(JSON.stringify(await TASKS[task]()));
