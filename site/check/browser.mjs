/**
 * Opens pages of the built site in Chromium: node check/browser.mjs [--pictures FOLDER]. Pages show their content, print
 * no error and ask no other server; the search finds; the playground opens the example, and a file that is dropped. The
 * last line is "N passed, N failed".
 */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "../../node_modules/playwright-core/index.mjs";
import { ROOT } from "../make/repository.mjs";
import { serveSite } from "./server.mjs";

const folder = process.argv[process.argv.indexOf("--pictures") + 1];
const pictures = process.argv.includes("--pictures") ? folder : null;

/** Pages, and words that each shows. */
const PAGES = {
  "": "In ten seconds",
  "docs/guides/convert.html": "The ending of the output names the format",
  "docs/mapping.html": "A sparse matrix has a row per stored entry",
  "api/functions/convert.html": "Converts any input of",
  "commands/convert.html": "annarrow convert",
  "benchmarks.html": "Shorter is better",
  "docs/recipes.html": "From h5ad to DuckDB",
  "try.html": "Playground",
};

const { url, close } = await serveSite();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-quic",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
  ],
});
let passed = 0;
let failed = 0;

/** Runs a check in a window of its own; what the page prints as an error, and what it asks elsewhere, fails it. */
async function check(name, options, run) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const problems = [];
  context.on("request", (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(url)) problems.push(`asks ${request.url()}`);
  });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  try {
    await run(page);
  } catch (error) {
    problems.push(error.message);
  }
  await context.close();
  if (problems.length === 0) passed += 1;
  else failed += 1;
  process.stdout.write(
    `${problems.length === 0 ? "passed" : "FAILED"}: ${name}\n${problems.map((one) => `  ${one}\n`).join("")}`,
  );
}

async function keep(page, name) {
  if (pictures === null) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: !name.includes("playground") });
}

const LOOKS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
};
for (const [path, words] of Object.entries(PAGES)) {
  for (const [look, options] of Object.entries(pictures === null ? { light: LOOKS.light } : LOOKS)) {
    await check(`/${path}, ${look}`, options, async (page) => {
      await page.goto(url + path);
      await page.getByText(words).filter({ visible: true }).first().waitFor();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wide > 0) throw new Error(`the page is ${wide} pixels wider than its window`);
      if (path === "try.html") await page.frameLocator("iframe").getByRole("tree").waitFor();
      // The embedding is drawn in slices, which nothing in the page tells.
      if (path === "try.html" && pictures !== null) await page.waitForTimeout(3000);
      await keep(page, `${path.replace(/\.html$/, "").replaceAll("/", "-") || "front"}-${look}`);
    });
  }
}

await check("the search finds", {}, async (page) => {
  await page.goto(url);
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.getByRole("searchbox").fill("companion");
  await page.locator(".VPLocalSearchBox .result").first().waitFor();
  await keep(page, "search");
});

/** Numbers that examples/make_pbmc_sim.py computed with pandas. */
const expected = JSON.parse(readFileSync(join(ROOT, "examples/pbmc.expected.json"), "utf8"));

await check("the playground opens the example", {}, async (page) => {
  await page.goto(`${url}try.html`);
  await page.getByRole("link", { name: "The example in the whole window" }).click();
  await page.getByRole("tree").getByText("obsm").first().waitFor();
  await page.getByRole("tab", { name: "Table" }).click();
  await page.getByRole("grid").first().getByText(expected.firstCells[0]).waitFor();
  await keep(page, "playground-example");
});

await check("the playground opens a file that is dropped", {}, async (page) => {
  await page.goto(`${url}playground/index.html`);
  await page.getByText("Drop a file or a folder anywhere on the page").waitFor();
  const bytes = readFileSync(join(ROOT, "examples/pbmc.zarr.zip")).toString("base64");
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], "dropped.zarr.zip"));
    return data;
  }, bytes);
  await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  await page.getByRole("grid").first().getByText(expected.firstCells[0]).waitFor();
  await keep(page, "playground-dropped");
});

await browser.close();
close();
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
