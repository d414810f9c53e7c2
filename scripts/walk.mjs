/**
 * Prints the files of src/ whose functions run on three ways through the library:
 *
 *     node scripts/walk.mjs [--list]
 *
 * `.h5ad` to batches of X, `.h5ad` to Parquet, Arrow to Zarr: as many files as somebody has to open who follows one of
 * them with a debugger. A file that is only loaded does not count.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const WALKS = {
  ".h5ad -> batches of X": `
    const data = await open("examples/pbmc.h5ad");
    for await (const _ of data.table("X").batches()) ;
    await data.close();`,
  ".h5ad -> Parquet": `await convert("examples/pbmc.h5ad", out + "/tables", { format: "parquet" });`,
  "Arrow -> Zarr": `
    const { tableFromArrays } = await import("apache-arrow");
    const rows = Int32Array.from({ length: 1000 }, (_, i) => i);
    const X = tableFromArrays({ row: rows, col: rows.map((i) => i % 100), value: Float32Array.from(rows) });
    const obs = tableFromArrays({ _index: Array.from(rows, (i) => "c" + i), n: rows });
    const var_ = tableFromArrays({ _index: Array.from({ length: 100 }, (_, i) => "g" + i) });
    await write(out + "/a.zarr", { X, obs, var: var_ });`,
};

const { values } = parseArgs({ options: { list: { type: "boolean", default: false } } });
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);
// Below the project, so that packages are found.
mkdirSync("node_modules/.cache", { recursive: true });
const folder = mkdtempSync(resolve("node_modules/.cache/walk-"));
try {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join("src", file));
  await build({ entryPoints: files, outdir: join(folder, "src"), outbase: "src", format: "esm", target: "es2023" });
  // The package's own imports lead to these files: `#platform` of Node.
  const { type, imports } = JSON.parse(
    readFileSync("package.json", "utf8").replaceAll(/(\.\/src\/.*?)\.ts"/g, '$1.js"'),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type, imports }));
  for (const [name, code] of Object.entries(WALKS)) print(name, run(code));
} finally {
  rmSync(folder, { recursive: true });
}

/** The files with a function that ran, of all threads. */
function run(code) {
  const coverage = mkdtempSync(join(folder, "coverage-"));
  const out = mkdtempSync(join(folder, "out-"));
  const entry = pathToFileURL(join(folder, "src/node.js"));
  const script = join(folder, "walk.mjs");
  writeFileSync(
    script,
    `import { open, convert, write } from ${JSON.stringify(entry.href)};\nconst out = ${JSON.stringify(out)};\n${code}\n`,
  );
  execFileSync(process.execPath, [script], {
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ran = new Set();
  for (const file of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, file), "utf8"));
    for (const { url, functions } of result) {
      const path = url.startsWith("file:") ? relative(join(folder, "src"), fileURLToPath(url)) : "..";
      if (path.startsWith("..")) continue;
      // The first function is the module itself, which runs where it is loaded.
      if (functions.slice(1).some(({ ranges }) => ranges[0].count > 0)) ran.add(path.replace(/\.js$/, ".ts"));
    }
  }
  return [...ran].sort();
}

function print(name, files) {
  process.stdout.write(`${name}: ${files.length} files\n`);
  if (values.list) process.stdout.write(files.map((file) => `  ${file}\n`).join(""));
}
