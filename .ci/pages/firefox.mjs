/**
 * Opens a page that reads files by the packed package, and the page of `annarrow view`, in Firefox:
 * node firefox.mjs FOLDER EXPECTED, where FOLDER has the page in out/, the example, and a large file,
 * and EXPECTED is examples/pbmc.expected.json, which pandas and scipy have computed.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";

const puppeteer = createRequire(join(process.env.ENVIRONMENTS, "firefox/"))("puppeteer-core");
const [folder, answers] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(answers, "utf8"));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm", ".css": "text/css" };
const say = (line) => process.stdout.write(`${line}\n`);
const counts = { passed: 0, failed: 0 };

/** Runs `check`, which throws where something is not as it should be. */
async function passes(what, check) {
  try {
    await check();
    counts.passed++;
    say(`ok: ${what}`);
  } catch (error) {
    counts.failed++;
    say(`FAILED: ${what}: ${error}`);
  }
}

function same(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${JSON.stringify(found)}`);
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const path = pathname.endsWith(".h5ad")
    ? join(folder, pathname)
    : join(folder, "out", pathname.replace(/\/$/, "/index.html"));
  response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
  if (existsSync(path)) response.end(readFileSync(path));
  else response.writeHead(404).end();
}).listen(0, "127.0.0.1");
await once(server, "listening");
const site = `http://127.0.0.1:${server.address().port}`;

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
  // Without a display Firefox has no WebGL; with one, of xvfb-run too, it draws by software.
  headless: process.env.DISPLAY === undefined,
  extraPrefsFirefox: { "webgl.force-enabled": true },
});
say(`Firefox ${(await browser.version()).replace(/^\D*/, "")}`);

/** A page at `url`, whose errors are noted. */
async function opened(url) {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(url);
  return { page, problems };
}

/** Waits until the page shows all `texts`. */
const shows = (page, texts) =>
  page.waitForFunction((texts) => texts.every((text) => document.body.textContent.includes(text)), {}, texts);

/** How many pixels of a picture are coloured, in the part of the page where the embedding is. */
async function colouredPixels(png) {
  const page = await browser.newPage();
  const count = await page.evaluate(async (png) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(250, 160, 560, 560);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue] = data.subarray(i, i + 3);
      if (Math.max(red, green, blue) - Math.min(red, green, blue) > 64) coloured++;
    }
    return coloured;
  }, png);
  await page.close();
  return count;
}

{
  const { page } = await opened(`${site}/`);
  await page.waitForFunction(() => "ask" in globalThis);
  await passes("reads the example", async () => {
    const { cells, error } = await page.evaluate(() => globalThis.ask("pbmc.h5ad"));
    same([cells, error], [expected.shape[0], "UnsupportedError"]);
  });
  await passes("reads a large matrix by workers", async () => {
    const started = await page.evaluate(async () => {
      let workers = 0;
      globalThis.Worker = class extends Worker {
        constructor(...options) {
          super(...options);
          workers++;
        }
      };
      return { ...(await globalThis.ask("large.h5ad")), workers };
    });
    same([started.cells, started.entries], [12 * expected.shape[0], 12 * expected.nonzeros.X]);
    if (started.workers === 0) throw new Error("no worker was started");
  });
  await page.close();
}

const types = Object.entries(expected.cellsPerType).flatMap(([name, cells]) => [name, cells.toLocaleString("en")]);
const view = spawn("npx", ["--no-install", "annarrow", "view", "pbmc.h5ad"], { cwd: folder, detached: true });
const url = String((await once(view.stdout, "data"))[0]).trim();
for (const [tab, texts] of [
  ["table", expected.firstCells],
  ["embedding", types],
  ["sql", ["Run"]],
  ["matrix", Object.keys(expected.cellsPerType)],
  ["quality", ["n_counts", "pct_mt", ...types]],
]) {
  await passes(`annarrow view shows the tab ${tab}`, async () => {
    const { page, problems } = await opened(`${url}&tab=${encodeURIComponent(JSON.stringify(tab))}`);
    await shows(page, texts).catch((error) => problems.push(String(error)));
    if (tab === "sql") {
      await page.click(".sql-top .primary");
      await shows(page, Object.keys(expected.cellsPerType)).catch((error) => problems.push(String(error)));
    }
    // The points are drawn some time after the legend.
    for (let attempt = 0; ; attempt++) {
      const png = await page.screenshot({ encoding: "base64" });
      writeFileSync(join(folder, `firefox-${tab}.png`), png, "base64");
      if (tab !== "embedding" || (await colouredPixels(png)) > expected.shape[0]) break;
      if (attempt === 20) throw new Error("the embedding has no points");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await page.close();
    same(problems, []);
  });
}
process.kill(-view.pid, "SIGINT");

await once(spawn("npx", ["--no-install", "annarrow", "view", "--static", "out/view"], { cwd: folder }), "exit");
await passes("the static page opens a file of the machine, and answers by DuckDB-WASM", async () => {
  const { page, problems } = await opened(`${site}/view/#tab=${encodeURIComponent('"sql"')}`);
  const input = await page.waitForSelector("input[type=file]");
  await input.uploadFile(join(folder, "pbmc.h5ad"));
  await page.waitForSelector(".sql-top .primary");
  await page.click(".sql-top .primary");
  await shows(page, Object.keys(expected.cellsPerType)).catch((error) => problems.push(String(error)));
  await page.screenshot({ path: join(folder, "firefox-static.png") });
  await page.close();
  same(problems, []);
});

await browser.close();
server.close();
say(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
