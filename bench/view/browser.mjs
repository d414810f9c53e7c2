// The page of `annarrow view` in Chromium, which draws without a graphics card, and the process of its server.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const CLI = new URL("../../dist/cli/main.js", import.meta.url).pathname;

/** Milliseconds between two looks at the memory of processes. */
const LOOK = 50;

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--enable-precise-memory-info"];

/** A browser, which serves several pages: a user has one that runs. */
export const startBrowser = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });

/** Starts `annarrow view`. `began` is when the command was given, `listening` the milliseconds until it told its address. */
export async function startServer(file, args = []) {
  const began = Date.now();
  const child = spawn(process.execPath, [CLI, "view", file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (data) => resolve(String(data).trim()));
    child.once("exit", (code) => reject(new Error(`annarrow view ended with ${code}`)));
  });
  const listening = Date.now() - began;
  const { origin, hash } = new URL(url);
  const headers = {
    authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get("token")}`,
    "content-type": "application/json",
  };
  const input = file.split("/").at(-1);
  return {
    ...{ url, began, listening },
    /** The bytes of an answer. */
    async ask(request) {
      const body = JSON.stringify({ input, ...request });
      const response = await fetch(`${origin}/ask`, { method: "POST", headers, body });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (!response.ok) throw new Error(String(bytes));
      return bytes;
    },
    /** Fetches a file that was saved, and drops it. */
    async fetched(path) {
      for await (const _ of (await fetch(`${origin}${path}`)).body);
    },
    peak: () => memoryOf(child.pid, "VmHWM"),
    /** The most that the server and the processes that work for it held together since the last call. */
    together: watchTogether(child.pid),
    end: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill();
      }),
  };
}

/** An empty page of a browser that runs. */
export async function newPage(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.on("pageerror", (error) => process.stderr.write(`error of the page: ${error.stack}\n`));
  await page.addInitScript(watch);
  return page;
}

/** Opens an address, with states behind the `#`. */
export async function goTo(page, url, state) {
  const values = Object.entries(state).map(([key, value]) => `&${key}=${encodeURIComponent(JSON.stringify(value))}`);
  await page.goto(`${url}${values.join("")}`, { waitUntil: "commit" });
}

/** Runs in the page: notes when attributes of the canvas change, frames, the longest task, and when the tree is there. */
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
  const look = () => {
    if (document.querySelector("[role=treeitem]") === null) return requestAnimationFrame(look);
    // What is there at a frame is painted by the one after it.
    requestAnimationFrame(() => {
      window.treeAt = performance.timeOrigin + performance.now();
    });
  };
  look();
}

/** Waits until the canvas has some attributes; `sample` also holds for the whole. */
export function shown(page, wanted) {
  const isShown = (attributes) => {
    const canvas = document.querySelector(".points canvas");
    if (!(Number(canvas?.dataset.points) > 0)) return false;
    return Object.entries(attributes).every(([name, value]) => canvas.dataset[name] === value || value === "sample");
  };
  return page.waitForFunction(isShown, wanted, { timeout: 120_000 });
}

/** The longest task of the page since it was told to begin anew. */
export const longest = (page) => page.evaluate(() => window.longest());

/** Moves the picture for three seconds, at each frame of the page, and counts the pictures in a second. */
export function pan(page) {
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

/** Milliseconds from a jump to a row until its first cell shows something, at the page's own clock. */
export function jump(page, row) {
  return page.evaluate(async (wanted) => {
    const input = document.querySelector(".go-to");
    input.value = String(wanted);
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const began = performance.now();
    input.form.requestSubmit();
    const isThere = () => {
      const cell = document.querySelector(`[data-row="${wanted}"][data-column="0"]`);
      return cell !== null && cell.textContent !== "";
    };
    while (!isThere() && performance.now() - began < 10_000) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return performance.now() - began;
  }, row);
}

/** Memory of the process that has the page: the largest of the renderers. */
export async function pageMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  return Math.max(...renderers.map(({ id }) => memoryOf(id, "VmRSS")));
}

/** Looks at a process and its children all the time. @returns what gives the most since it was asked last. */
function watchTogether(parent) {
  let most = 0;
  const look = () => {
    const children = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && statusOf(pid, "PPid") === parent);
    const all = [parent, ...children].map((pid) => memoryOf(pid, "VmRSS"));
    most = Math.max(
      most,
      all.reduce((sum, bytes) => sum + bytes, 0),
    );
  };
  setInterval(look, LOOK).unref();
  return () => {
    look();
    const before = most;
    most = 0;
    return before;
  };
}

/** Bytes that a process holds. */
const memoryOf = (pid, field) => 1024 * statusOf(pid, field);

/** A number in the status of a process; 0 where the process has ended. */
function statusOf(pid, field) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
