// What Node takes before anything is decoded: node bench/floor/floor.mjs BYTES [FILE]
//
// Starts two workers, has them touch BYTES of fresh memory in blocks of 12 MiB, or read FILE into it, and keeps what they
// send. No program that gives so much from workers can be faster. Prints {"seconds", "result"} as ours.mjs does.

import { openSync, readSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

const BLOCK = 12 * 2 ** 20;
const PAGE = 4096;
const WORKERS = 2;
/** Blocks that a worker is asked for at once. */
const QUEUED = 2;

const [bytes, source] = process.argv.slice(2);

if (isMainThread) await main(Number(bytes));
else {
  const file = source === undefined ? null : openSync(source);
  parentPort.on("message", (position) => {
    const block = new Uint8Array(BLOCK);
    if (file === null) for (let at = 0; at < BLOCK; at += PAGE) block[at] = 1;
    else readSync(file, block, 0, BLOCK, position);
    parentPort.postMessage(block, [block.buffer]);
  });
}

async function main(bytes) {
  const began = performance.now();
  const kept = [];
  let left = Math.ceil(bytes / BLOCK);
  const workers = Array.from(
    { length: WORKERS },
    () => new Worker(fileURLToPath(import.meta.url), { argv: process.argv.slice(2) }),
  );
  const filled = (worker) =>
    new Promise((resolve, reject) => {
      let asked = 0;
      const ask = () => {
        for (; asked < QUEUED && left > 0; asked++, left--) worker.postMessage((left - 1) * BLOCK);
        if (asked === 0) resolve();
      };
      worker.on("error", reject);
      worker.on("message", (block) => {
        kept.push(block);
        asked--;
        ask();
      });
      ask();
    });
  await Promise.all(workers.map(filled));
  const seconds = (performance.now() - began) / 1000;
  console.log(JSON.stringify({ seconds, result: { blocks: kept.length } }));
  process.exit();
}
