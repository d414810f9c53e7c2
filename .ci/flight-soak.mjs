// Clients of all kinds at one server for some time: node .ci/flight-soak.mjs [--seconds 60] [--clients 16] [FOLDER PATH]
// PATH is a table below FOLDER, e.g. pbmc.h5ad/X. Fails where anything but a cancelled stream ends with an error, where
// the server logs one, where a stream has the wrong rows, or where the server's resident memory grows.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { open } from "../dist/node.js";

const { values, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, clients: { type: "string", default: "16" } },
  allowPositionals: true,
});
const [folder = "examples", path = "pbmc.h5ad/X"] = positionals;
const seconds = Number(values.seconds);
const clients = Number(values.clients);

/** The last third may have so much more than the second: allocators keep what they once had. */
const GROWTH = 1.2;
const MARGIN = 24 * 2 ** 20;

const server = spawn(
  process.execPath,
  [
    new URL("../dist/cli/main.js", import.meta.url).pathname,
    "serve",
    folder,
    "--port",
    "0",
    "--http-port",
    "0",
    "--read-only",
  ],
  { stdio: ["ignore", "ignore", "pipe"] },
);
const problems = [];
const started = later();
createInterface({ input: server.stderr }).on("line", (line) => {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    problems.push(`the server says ${line}`);
    return;
  }
  if (entry.event === "serving") started.resolve(entry);
  if (entry.level === "error") problems.push(`the server logs ${line.slice(0, 500)}`);
});
server.on("exit", (code, signal) => {
  if (!stopping) problems.push(`the server ended: ${code ?? signal}`);
  started.reject(new Error("the server did not start"));
});
let stopping = false;

const { location, httpPort } = await started.promise;
const [file, ...rest] = path.split("/");
const name = rest.join("/");
const http = `http://127.0.0.1:${httpPort}`;
const expected = await rowsOf();

const end = performance.now() + 1000 * seconds;
const done = { complete: 0, cancelled: 0, slow: 0, http: 0, "http cancelled": 0, small: 0 };
const kinds = Object.keys(done);
const memory = [];
const watching = watch();
await Promise.all(Array.from({ length: clients }, (_, i) => client(kinds[i % kinds.length])));
await watching;
stopping = true;
server.kill("SIGTERM");
await new Promise((resolve) => server.once("exit", resolve));

const third = Math.floor(memory.length / 3);
const [middle, last] = [median(memory.slice(third, 2 * third)), median(memory.slice(-third))];
if (!(last < GROWTH * middle + MARGIN)) {
  problems.push(`resident memory grew from ${mebibytes(middle)} to ${mebibytes(last)} MiB`);
}
for (const kind of kinds.slice(0, clients)) if (done[kind] === 0) problems.push(`no stream was ${kind}`);
const counts = kinds.map((kind) => `${done[kind]} ${kind}`).join(", ");
process.stdout.write(`${seconds} s, ${clients} clients: ${counts}\n`);
process.stdout.write(
  `resident memory ${mebibytes(middle)}, then ${mebibytes(last)} MiB, at most ${mebibytes(Math.max(...memory))}\n`,
);
for (const problem of problems.slice(0, 20)) process.stderr.write(`${problem}\n`);
process.exit(problems.length === 0 ? 0 : 1);

async function client(kind) {
  while (performance.now() < end) {
    try {
      await run(kind);
      done[kind]++;
    } catch (error) {
      problems.push(`${kind}: ${error?.stack ?? error}`);
      await sleep(500);
    }
  }
}

async function run(kind) {
  switch (kind) {
    case "complete":
      return reading(async (table) => {
        let rows = 0;
        for await (const batch of table.batches()) rows += batch.numRows;
        same(rows);
      });
    case "cancelled":
      return reading(async (table) => {
        const controller = new AbortController();
        const leaving = sleep(20 + 200 * Math.random()).then(() => controller.abort(new Error("enough")));
        try {
          for await (const _ of table.batches({ signal: controller.signal })) await sleep(10);
        } catch (error) {
          if (error?.message !== "enough") throw error;
        }
        await leaving;
      });
    case "slow":
      return reading(async (table) => {
        for await (const _ of table.batches()) {
          await sleep(700);
          if (performance.now() > end) return;
        }
      });
    case "http": {
      const response = await fetch(`${http}/${path}`);
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      let bytes = 0;
      for await (const chunk of response.body) bytes += chunk.length;
      if (bytes < expected) throw new Error(`${bytes} bytes for ${expected} rows`);
      return;
    }
    case "http cancelled": {
      const controller = new AbortController();
      const response = await fetch(`${http}/${path}`, { signal: controller.signal });
      const reader = response.body.getReader();
      await reader.read();
      controller.abort();
      await reader.closed.catch(() => undefined);
      return;
    }
    case "small": {
      const response = await fetch(`${http}/${path}?rows=0-10&format=csv`);
      const lines = (await response.text()).trim().split("\n");
      if (lines.length !== 11) throw new Error(`${lines.length} lines for 10 rows`);
      await sleep(20);
      return;
    }
    default:
      throw new Error(`no client is ${kind}`);
  }
}

async function reading(action) {
  const dataset = await open(`${location}/${file}`);
  try {
    await action(dataset.table(name));
  } finally {
    await dataset.close();
  }
}

function same(rows) {
  if (rows !== expected) throw new Error(`${rows} rows, expected ${expected}`);
}

async function rowsOf() {
  const dataset = await open(`${folder}/${file}`);
  try {
    return dataset.table(name).rows;
  } finally {
    await dataset.close();
  }
}

async function watch() {
  while (performance.now() < end) {
    const text = await (await fetch(`${http}/metrics`)).text();
    memory.push(Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]));
    await sleep(250);
  }
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function mebibytes(bytes) {
  return Math.round(bytes / 2 ** 20);
}

function later() {
  let resolve;
  let reject;
  const promise = new Promise((ok, fail) => {
    resolve = ok;
    reject = fail;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
