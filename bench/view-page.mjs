// Times of the page of `annarrow view` in Chromium, which draws without a graphics card:
//   node bench/view-page.mjs FOLDER [1000000] [10000000] [genes]
// FOLDER keeps the made files. Times of the page come from its own clock; the first is from the start of the command.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { makeCells } from "./view-cells.mjs";

const CLI = new URL("../dist/cli/main.js", import.meta.url).pathname;
const [folder = "/tmp/annarrow-view-page", ...sizes] = process.argv.slice(2).filter((one) => one !== "genes");
// `genes` copies the matrix by genes too, and colours by a gene before and after.
const withGenes = process.argv.includes("genes");
mkdirSync(folder, { recursive: true });

/** No colour at first, so that the column is read when it is chosen. */
const PLOT = JSON.stringify({
  ...{ table: null, axes: null, clip: [1, 99], split: null, size: null, opacity: null },
  colour: { by: "none" },
});

const say = (line) => process.stdout.write(`${line}\n`);
say(`${cpus()[0]?.model}, ${cpus().length} cores, Chromium with SwiftShader, 1280 x 800`);

async function measure(cells) {
  const file = join(folder, `cells-${cells}${withGenes ? "-genes" : ""}.h5ad`);
  if (!existsSync(file)) await makeCells(file, cells, withGenes ? 50 : 4);
  // A command of which the system has read the files before, as that of a user who works.
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--enable-precise-memory-info"],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.on("pageerror", (error) => say(`error of the page: ${error.stack}`));
  await page.addInitScript(watch);
  const began = Date.now();
  const server = spawn(process.execPath, [CLI, "view", file], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const url = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data).trim())));
    const listening = Date.now() - began;
    await page.goto(`${url}&tab=${encodeURIComponent('"embedding"')}&plot=${encodeURIComponent(PLOT)}`);
    await shown(page, { state: "sample" });
    const first = Date.now() - began;
    await shown(page, { state: "whole" });
    const whole = Date.now() - began;
    say(`\n${cells.toLocaleString("en")} cells`);
    say(`server listens ${listening} ms, first frame ${first} ms, all points ${whole} ms after the command`);
    for (const column of ["cell_type", "score"]) {
      await page.evaluate(() => window.restart());
      await page.getByLabel("Colour by column").selectOption(`column ${column}`);
      await shown(page, { colour: column });
      const at = await page.evaluate((name) => window.timeOf("colour", name), column);
      await shown(page, { colour: column, state: "whole" });
      say(`colour by ${column}: first frame ${at} ms, longest task ${await longest(page)} ms`);
    }
    if (withGenes) await colourByGenes(page, url, file);
    await page.evaluate(() => window.restart());
    const frames = await pan(page);
    say(`pan: ${frames.toFixed(1)} frames/s, longest task ${await longest(page)} ms`);
    await shown(page, { state: "whole" });
    say(`whole picture after it: ${await page.evaluate(() => window.timeOf("state", "whole"))} ms from its start`);
    const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
    say(`page: ${megabytes(await pageMemory(browser))} MB of the process, ${megabytes(heap)} MB of JavaScript`);
    say(`server: ${megabytes(memoryOf(server.pid, "VmHWM"))} MB at most`);
  } finally {
    server.kill();
    await browser.close();
  }
}

const megabytes = (bytes) => Math.round(bytes / 1e6);

/** Colours by a gene as the file is stored, and by others from the copy by genes, which is made between. */
async function colourByGenes(page, url, file) {
  const colour = async (gene) => {
    await page.getByLabel("Colour by gene").fill(gene);
    await page.locator(".gene-list [role=option]").first().waitFor();
    await page.evaluate(() => window.restart());
    await page.keyboard.press("Enter");
    await shown(page, { colour: gene });
    const first = await page.evaluate((name) => window.timeOf("colour", name), gene);
    await page.waitForFunction(() => document.querySelector(".legend .reading") === null);
    const whole = await page.evaluate(() => Math.round(performance.now() - window.began()));
    await page.getByRole("button", { name: `Remove ${gene}` }).click();
    return `first frame ${first} ms, read ${whole} ms, longest task ${await longest(page)} ms`;
  };
  say(`gene from rows: ${await colour("gene3")}`);
  const ask = async (action) => {
    const { origin, hash } = new URL(url);
    const response = await fetch(`${origin}/ask`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get("token")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ call: "companion", input: file.split("/").at(-1), action }),
    });
    return response.json();
  };
  const began = Date.now();
  let state = await ask("start");
  while (state.state === "making") {
    await new Promise((resolve) => setTimeout(resolve, 500));
    state = await ask("state");
  }
  say(`copy by genes: ${state.state} after ${Math.round((Date.now() - began) / 1000)} s`);
  for (const gene of ["gene7", "gene90"]) say(`gene from the copy: ${await colour(gene)}`);
}

/** Runs in the page: notes when attributes of the canvas change, frames, and the longest task. */
function watch() {
  let start = performance.now();
  let times = {};
  let tasks = [];
  let frames = 0;
  window.restart = () => {
    start = performance.now();
    [times, tasks, frames] = [{}, [], 0];
  };
  window.timeOf = (name, value) => Math.round(times[`${name} ${value}`] ?? Number.NaN);
  window.longest = () => Math.round(Math.max(0, ...tasks));
  window.frames = () => frames;
  window.began = () => start;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ type: "longtask" });
  new MutationObserver((changes) => {
    for (const { target, attributeName } of changes) {
      const name = attributeName.slice(5);
      if (name === "points") frames += 1;
      times[`${name} ${target.dataset[name]}`] = performance.now() - start;
    }
  }).observe(document, {
    subtree: true,
    attributeFilter: ["data-state", "data-colour", "data-points"],
  });
}

/** Waits until the canvas has some attributes; `sample` also holds for the whole. */
function shown(page, wanted) {
  const isShown = (attributes) => {
    const canvas = document.querySelector(".points canvas");
    if (!(Number(canvas?.dataset.points) > 0)) return false;
    return Object.entries(attributes).every(([name, value]) => canvas.dataset[name] === value || value === "sample");
  };
  return page.waitForFunction(isShown, wanted, { timeout: 120_000 });
}

const longest = (page) => page.evaluate(() => window.longest());

/** Moves the picture for three seconds, at each frame of the page, and counts the pictures. */
function pan(page) {
  return page.evaluate(async () => {
    const element = document.querySelector(".points");
    const { left, top, width, height } = element.getBoundingClientRect();
    const send = (type, angle) =>
      element.dispatchEvent(
        new PointerEvent(type, {
          pointerId: 1,
          clientX: left + width / 2 + 80 * Math.sin(angle),
          clientY: top + height / 2 + 60 * Math.cos(angle),
        }),
      );
    // A made pointer cannot be captured.
    element.setPointerCapture = () => {};
    send("pointerdown", 0);
    const began = performance.now();
    const before = window.frames();
    for (let step = 1; performance.now() - began < 3000; step++) {
      send("pointermove", step / 20);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const pictures = window.frames() - before;
    send("pointerup", 0);
    return (1000 * pictures) / (performance.now() - began);
  });
}

/** Memory of the process that has the page: the largest of the renderers. */
async function pageMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  return Math.max(...renderers.map(({ id }) => memoryOf(id, "VmRSS")));
}

function memoryOf(pid, field) {
  const line = readFileSync(`/proc/${pid}/status`, "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${field}:`));
  return 1024 * Number(/\d+/.exec(line ?? "")?.[0] ?? 0);
}

for (const size of sizes.length > 0 ? sizes : ["1000000", "10000000"]) await measure(Number(size));
