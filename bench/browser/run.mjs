// Times of pages beside other libraries, in Chromium on this machine:
//   node bench/browser/run.mjs --peers FOLDER [--folder FOLDER] [--repeat 3] [--out bench/BROWSER.md]
// FOLDER of peers has hyparquet-writer installed (npm install hyparquet-writer); the other one keeps what bench/run.mjs makes.

import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { median } from "../statistics.mjs";
import { startBrowser } from "../view/browser.mjs";
import { browserPage } from "./report.mjs";

const { values } = parseArgs({
  options: {
    peers: { type: "string" },
    folder: { type: "string", default: join(tmpdir(), "annarrow-bench") },
    repeat: { type: "string", default: "3" },
    out: { type: "string" },
  },
});
if (values.peers === undefined) throw new Error("give --peers FOLDER, in which hyparquet-writer is installed");
const repeat = Number(values.repeat);
const ROWS = 10_000_000;

/** The matrix in a store that tells over HTTP what it holds. */
const STORE = "matrix.page.zarr";
if (!existsSync(join(values.folder, STORE))) {
  const [from, to] = ["matrix.h5ad", STORE].map((name) => join(values.folder, name));
  execFileSync(process.execPath, ["dist/cli/main.js", "convert", from, to], { stdio: "inherit" });
}

const made = mkdtempSync(join(tmpdir(), "annarrow-bench-page-"));
await build({
  entryPoints: {
    tasks: "bench/browser/tasks.mjs",
    "h5wasm-worker": "bench/browser/h5wasm-worker.mjs",
    worker: "dist/platform/worker.js",
  },
  ...{ bundle: true, splitting: true, minify: true, format: "esm", platform: "browser", outdir: made },
  nodePaths: [join(resolve(values.peers), "node_modules")],
  logLevel: "error",
});
writeFileSync(
  join(made, "index.html"),
  '<!doctype html><input type="file" /><script type="module" src="tasks.js"></script>',
);

/** Serves the page, and the inputs below /data/. */
const TYPES = { js: "text/javascript", html: "text/html", wasm: "application/wasm" };
const server = createServer(({ url = "/" }, response) => {
  const path = decodeURIComponent(new URL(url, "http://here").pathname);
  const file = path.startsWith("/data/")
    ? join(values.folder, path.slice(5))
    : join(made, path === "/" ? "index.html" : path);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[file.split(".").at(-1)] ?? "application/octet-stream" });
  createReadStream(file).pipe(response);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await startBrowser();

/** Runs a task in a page of its own. */
async function run(task, { file, given }) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.on("pageerror", (error) => process.stderr.write(`${error.stack}\n`));
    await page.goto(origin);
    await page.waitForFunction(() => window.tasks !== undefined);
    if (file !== undefined) await page.setInputFiles("input", join(values.folder, file));
    return await page.evaluate(
      ([name, value]) => window.tasks[name](value ?? document.querySelector("input").files[0]),
      [task, given ?? null],
    );
  } finally {
    await context.close();
  }
}

const CASES = [
  {
    title: "the matrix of 55 M entries (gzip `.h5ad`, a `File`) to batches in coordinates",
    ours: ["batches", { file: "matrix.h5ad" }],
    peer: ["h5wasm", { file: "matrix.h5ad" }, "h5wasm in a worker, its three arrays alone"],
  },
  {
    title: "the same to one Parquet file (zstd)",
    ours: ["parquet", { file: "matrix.h5ad" }],
    peer: ["h5wasm", { file: "matrix.h5ad" }, "h5wasm in a worker, its three arrays alone"],
  },
  {
    title: "the same matrix in Zarr (v2, over HTTP) to batches in coordinates",
    ours: ["batches", { given: `${origin}/data/${STORE}` }],
    peer: ["zarrita", { given: `${origin}/data/${STORE}` }, "zarrita, its three arrays alone"],
  },
  {
    title: `a table of ${ROWS / 1e6} M rows (three columns of numbers) in memory to Parquet (snappy)`,
    ours: ["writing", { given: ROWS }],
    peer: ["hyparquet", { given: ROWS }, "hyparquet-writer"],
  },
];

const load = loadavg()[0].toFixed(1);
const started = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
const rows = [];
try {
  for (const { title, ours, peer } of CASES) {
    const runs = { ours: [], peer: [] };
    for (let i = 0; i < repeat; i++) {
      runs.ours.push(await run(ours[0], ours[1]));
      runs.peer.push(await run(peer[0], peer[1]));
    }
    const [mine, theirs] = [runs.ours[0].told, runs.peer[0].told];
    if (
      mine.sum !== undefined &&
      theirs.sum !== undefined &&
      Math.abs(mine.sum - theirs.sum) > 1e-6 * Math.abs(mine.sum)
    ) {
      throw new Error(`${title}: other values: ${JSON.stringify([mine, theirs])}`);
    }
    const seconds = (side) => median(runs[side].map(({ ms }) => ms / 1000));
    rows.push({ title, peer: peer[2], ours: seconds("ours"), theirs: seconds("peer"), told: [mine, theirs] });
    process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
  }
} finally {
  const version = browser.version();
  await browser.close();
  server.close();
  server.closeAllConnections();
  rmSync(made, { recursive: true, force: true });
  const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}`;
  if (values.out !== undefined && rows.length === CASES.length) {
    writeFileSync(
      values.out,
      browserPage({ rows, started, machine, load, repeat, version, peers: resolve(values.peers) }),
    );
  }
}
