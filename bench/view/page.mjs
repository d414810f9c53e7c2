// Times and memory of the page of `annarrow view`, in Chromium without a graphics card, as a table beside the aims:
//   node bench/view/page.mjs [--folder FOLDER] [--only PATTERN] [--out bench/VIEW.md]
// FOLDER keeps the made files (1.2 GB).

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startBrowser } from "./browser.mjs";
import { embedding, genes, memory, table, tree } from "./cases.mjs";
import { makeCells } from "./cells.mjs";
import { viewPage } from "./report.mjs";

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: join(tmpdir(), "annarrow-view-page") },
    only: { type: "string", default: "" },
    out: { type: "string" },
  },
});
const { folder, only, out } = values;
mkdirSync(folder, { recursive: true });

/** @param entries of a cell. */
async function made(cells, entries, name) {
  const file = join(folder, name);
  if (!existsSync(file)) await makeCells(file, cells, entries);
  return { file, cells };
}
const million = () => made(1_000_000, 4, "cells-1000000.h5ad");
const two = () => made(2_000_000, 50, "cells-2000000-genes.h5ad");
const ten = () => made(10_000_000, 4, "cells-10000000.h5ad");

const example = new URL("../../examples/pbmc.h5ad", import.meta.url).pathname;
const cache = mkdtempSync(join(tmpdir(), "annarrow-view-cache-"));
const browser = await startBrowser();

const CASES = {
  tree: ["The first look", async () => tree({ browser, example })],
  million: ["1 M cells", async () => embedding({ browser, ...(await million()) })],
  genes: ["Genes", async () => genes({ browser, cache, ...(await two()) })],
  ten: ["10 M cells", async () => embedding({ browser, ...(await ten()) })],
  table: ["Tables", async () => table({ browser, ...(await ten()) })],
  memory: ["Memory of the server: the most so far (VmHWM), step after step", async () => memory(await two())],
};

const load = loadavg()[0].toFixed(1);
const started = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
const version = browser.version();
const sections = [];
try {
  for (const [name, [title, run]] of Object.entries(CASES)) {
    if (!new RegExp(only).test(name)) continue;
    const rows = await run();
    sections.push({ title, rows });
    process.stdout.write(viewPage({ sections: [{ title, rows }] }));
  }
} finally {
  await browser.close();
  rmSync(cache, { recursive: true, force: true });
}
const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}`;
const versions = `Node ${process.versions.node}, Chromium ${version} (SwiftShader)`;
const command = `node bench/view/page.mjs${only === "" ? "" : ` --only ${only}`} --out bench/VIEW.md`;
if (out !== undefined) writeFileSync(out, viewPage({ sections, head: { started, load, machine, versions, command } }));
