/**
 * Opens the pages that bundlers made, in Chromium: node open-bundled.mjs FOLDER docs/bundlers.md
 * Each reads a small file, whose tables need no more than the table of sizes in docs/bundlers.md says, and a large one.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const [folder, docs] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
/** Of a page: the kB that the documentation names, by the first cell of its row. */
const documented = Object.fromEntries(
  [...readFileSync(docs, "utf8").matchAll(/^\| (\w+) \| (\d+) kB \|/gm)].map(([, name, size]) => [name, Number(size)]),
);
/** kB that a page may need until it has the first table, where the bundler minifies and leaves out what nobody calls. */
const MOST = 150;
/** Bytes of a file from which it can only be h5wasm or parquet-wasm, which have 4.8 MB each. The worker has 0.8. */
const PACKAGES = 2_000_000;
const say = (line) => process.stdout.write(`${line}\n`);
const counts = { passed: 0, failed: 0 };
function check(what, isSo, found) {
  counts[isSo ? "passed" : "failed"]++;
  say(isSo ? `ok: ${what}` : `FAILED: ${what}: ${JSON.stringify(found)}`);
}

let root = "";
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const path = pathname.endsWith(".h5ad") ? join(folder, pathname) : join(root, pathname.replace(/\/$/, "/index.html"));
  response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
  if (existsSync(path)) response.end(readFileSync(path));
  else response.writeHead(404).end();
}).listen(0);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

for (const made of readdirSync(join(folder, "out"))) {
  root = join(folder, "out", made);
  const page = await browser.newPage();
  let [bytes, workers, warnings] = [0, 0, 0];
  let largest = { url: "", length: 0 };
  const sizes = [];
  page.on("response", (response) => {
    if (!response.ok() || response.url().endsWith(".h5ad")) return;
    sizes.push(
      response
        .body()
        .then((body) => {
          if (body.length > largest.length) largest = { url: response.url(), length: body.length };
          return gzipSync(body).length;
        })
        .catch(() => 0),
    );
  });
  page.on("worker", () => workers++);
  page.on("console", (message) => {
    if (message.text().includes("no worker could be started")) warnings++;
  });
  await page.goto(`http://localhost:${server.address().port}/`);
  await page.waitForFunction(() => "ask" in globalThis);

  const small = await page.evaluate(() => globalThis.ask("pbmc.h5ad"));
  check(`${made}: reads the example`, small.cells === 2700, small);
  check(`${made}: errors keep their names`, small.error === "UnsupportedError", small.error);
  for (const size of await Promise.all(sizes)) bytes += size;
  const size = Math.round(bytes / 1000);
  say(`${made}: ${size} kB (gzip) until the first table`);
  if (made === "vite") check(`${made}: needs at most ${MOST} kB until the first table`, size <= MOST, size);
  // webpack minifies with --full alone.
  if (made in documented && (made !== "webpack" || process.env.FULL)) {
    check(`${made}: is as large as documented`, Math.abs(size - documented[made]) <= 5, [size, documented[made]]);
  }

  const large = await page.evaluate(() => globalThis.ask("large.h5ad"));
  check(`${made}: reads a matrix`, large.cells === 32_400 && large.entries === 12 * 187_809, large);
  if (made === "esbuild-alone") check(`${made}: warns once that there is no worker`, warnings === 1, warnings);
  else check(`${made}: starts workers`, workers > 0 && warnings === 0, { workers, warnings });
  await Promise.all(sizes);
  check(`${made}: loads neither h5wasm nor parquet-wasm`, largest.length < PACKAGES, largest);
  await page.close();
}
await browser.close();
server.close();
say(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
