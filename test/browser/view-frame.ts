/**
 * The frame of the tests of `annarrow view`: Chromium, and the page, served by the command or as a folder of plain files.
 *
 * ```ts
 * const frame = viewFrame();                                  // once in a test file, at its top
 *
 * test("shows the table", async () => {
 *   const { page } = await frame.served(["examples/pbmc.h5ad"]);           // `annarrow view` in a process of its own
 *   await expect.poll(() => page.getByRole("tree").innerText()).toContain("obsm");
 *   await frame.screenshot(page, "table");                    // test-results/table.png, to be looked at
 * });
 *
 * test("… without a server", async () => {
 *   const { page } = await frame.opened("examples/pbmc.h5ad");   // the static page, the file chosen in it
 * });
 * ```
 *
 * Every test gets a browser context of its own, which ends with the test. The test fails if the page has printed an error,
 * broken its Content-Security-Policy, or asked another server; `expectProblem` allows what a test wants to happen.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { ensureBuilt } from "../build.js";
import { CHROMIUM, QUIET } from "./chromium.js";
import { type Server, serve } from "./server.js";

/** The point layer draws by WebGL, which is software on machines without a graphics card. */
const WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

export interface ViewPage {
  readonly page: Page;
  /** Address of the page, with the token behind the `#` where it is served. */
  readonly url: string;
}

export interface PageOptions extends BrowserContextOptions {
  /** State of the page behind the `#`, as the address bar has it: `tab="embedding"`. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** Called before the page is loaded. */
  readonly before?: (page: Page) => Promise<unknown>;
}

export interface ViewFrame {
  /** The page of `annarrow view FILES`. */
  served(files: readonly string[], options?: PageOptions & { readonly args?: readonly string[] }): Promise<ViewPage>;
  /** The page of `annarrow view --static`, below a path of its server, with nothing opened. */
  statically(options?: PageOptions): Promise<ViewPage>;
  /** The page of `annarrow view --static`, in which a file of this machine was chosen. */
  opened(file: string, options?: PageOptions): Promise<ViewPage>;
  /** Gives files under an address of this machine, by paths such as `/pbmc.h5ad`, with ranges. */
  hosted(files: ReadonlyMap<string, Uint8Array>, headers?: Readonly<Record<string, string>>): Promise<Server>;
  /** A problem that the test wants to happen; others fail it. */
  expectProblem(pattern: RegExp): void;
  /** Saves a picture of the page below test-results/. @returns the path. */
  screenshot(page: Page, name: string): Promise<string>;
}

/** Path of the static page on its server, as GitHub Pages has one for each project. */
const BELOW = "/project/view";

export function viewFrame(): ViewFrame {
  let browser: Browser;
  let problems: string[] = [];
  let expected: RegExp[] = [];
  let endings: (() => unknown)[] = [];
  let plain: Promise<Server> | null = null;

  beforeAll(async () => {
    await ensureBuilt();
    browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: [...QUIET, ...WEBGL] });
  });
  afterAll(async () => {
    await browser?.close();
    (await plain)?.close();
  });
  afterEach(async () => {
    // The page ends before its server.
    const failures: unknown[] = [];
    for (const end of endings.reverse()) await Promise.resolve(end()).catch((error: unknown) => failures.push(error));
    const unexpected = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
    const missed = expected.filter((pattern) => !problems.some((problem) => pattern.test(problem)));
    [problems, expected, endings] = [[], [], []];
    expect(unexpected, "problems of the page").toEqual([]);
    expect(missed, "problems that were expected").toEqual([]);
    expect(failures).toEqual([]);
  });

  async function show(url: string, hosts: readonly string[], options: PageOptions): Promise<ViewPage> {
    const { state = {}, before, ...context } = options;
    const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context });
    endings.push(() => opened.close());
    await watch(opened, (problem) => problems.push(problem), hosts);
    const page = await opened.newPage();
    await before?.(page);
    const address = new URL(url);
    const values = new URLSearchParams(address.hash.slice(1));
    for (const [key, value] of Object.entries(state)) values.set(key, JSON.stringify(value));
    address.hash = values.toString();
    await page.goto(address.href);
    return { page, url: address.href };
  }

  const frame: ViewFrame = {
    async served(files, { args = [], ...options } = {}) {
      const { url, end } = await startView([...files, ...args]);
      endings.push(end);
      return show(url, [new URL(url).host], options);
    },
    async statically(options = {}) {
      plain ??= staticFiles().then((files) => serve(files));
      const { url } = await plain;
      return show(`${url}${BELOW}/`, [], options);
    },
    async opened(file, options) {
      const shown = await frame.statically(options);
      await shown.page.getByLabel("Files", { exact: true }).setInputFiles(file);
      return shown;
    },
    async hosted(files, headers = {}) {
      const server = await serve(files, {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Content-Range, ETag",
        ...headers,
      });
      endings.push(() => server.close());
      return server;
    },
    expectProblem: (pattern) => void expected.push(pattern),
    async screenshot(page, name) {
      mkdirSync("test-results", { recursive: true });
      const path = `test-results/${name}.png`;
      await page.screenshot({ path });
      return path;
    },
  };
  return frame;
}

/** Reports what a page must not do. @param hosts those that it may ask; any of this machine where there is none. */
async function watch(context: BrowserContext, report: (problem: string) => void, hosts: readonly string[]) {
  await context.exposeFunction("annarrowReport", report);
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
      Reflect.get(
        window,
        "annarrowReport",
      )(`Content-Security-Policy: ${violatedDirective} ${blockedURI} (${sourceFile}:${lineNumber})`);
    });
  });
  context.on("weberror", (error) => report(`error: ${error.error().stack ?? error.error()}`));
  context.on("console", (message) => {
    if (message.type() === "error") report(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("dialog", (dialog) => {
    report(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("request", (request) => {
    const { protocol, host, hostname } = new URL(request.url());
    const isOurs = hosts.length === 0 ? hostname === "127.0.0.1" : hosts.includes(host);
    if (protocol !== "data:" && protocol !== "blob:" && !isOurs) report(`request: ${request.url()}`);
  });
}

/** Starts `annarrow view`, which prints the address of its page. */
export async function startView(args: readonly string[]): Promise<{ url: string; end: () => Promise<void> }> {
  const child = spawn(process.execPath, ["dist/cli/main.js", "view", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const found = /https?:\/\/\S+/.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once("close", (code) => reject(new Error(`annarrow view ended with ${code}: ${said}`)));
  });
  return {
    url,
    async end() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, "close");
    },
  };
}

/** The files of `annarrow view --static`, by their paths on the server. */
async function staticFiles(): Promise<Map<string, Uint8Array>> {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-static-"));
  try {
    execFileSync(process.execPath, ["dist/cli/main.js", "view", "--static", folder]);
    const files = new Map<string, Uint8Array>();
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(`${BELOW}/${relative(folder, path)}`, readFileSync(path));
    }
    const index = files.get(`${BELOW}/index.html`);
    if (index !== undefined) files.set(`${BELOW}/`, index);
    return files;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
