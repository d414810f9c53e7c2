/**
 * Writes the JavaScript of dist/: few files instead of two hundred, since a short command spends most of its time on
 * loading modules. What is loaded by `import()` stays in files of its own, except for workers: they need nearly all of
 * theirs, and a page serves one file. Types come from tsc.
 *
 * The entries for Node and for pages share their files: imports of the platform stay imports, and whoever loads or bundles
 * dist/ chooses one by its conditions. `#platform` leads to the sources (`imports` in package.json), `#built/platform` to
 * what is built.
 */

import { chmodSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { unpackedZstd } from "./unpacked-zstd.mjs";

// Files of an earlier build, whose names end in other hashes.
for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(`dist/${file}`);
}

const common = {
  outdir: "dist",
  outbase: "src",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "es2023",
  sourcemap: true,
  sourcesContent: false,
};

const { imports } = JSON.parse(readFileSync("package.json", "utf8"));
const platforms = Object.values(imports)
  .flatMap(Object.values)
  .filter((file) => file.startsWith("./src/"));

const outOf = (file) => file.replace(/^(\.\/)?src\/|\.ts$/g, "");

/** Packages that come along, their licences in licenses/: their memory is then ours alone. Pages have them in their worker. */
const BESIDE = { "@hpcc-js/wasm-zstd": "wasm-zstd", libdeflate: "libdeflate" };
const beside = Object.fromEntries(Object.entries(BESIDE).map(([name, file]) => [name, `#built/${file}`]));

await build({
  ...common,
  entryPoints: Object.entries(BESIDE).map(([name, file]) => ({ in: name, out: `jobs/${file}` })),
  sourcemap: false,
  alias: { "#platform": "#built/platform" },
  external: ["#built/*"],
  plugins: [unpackedZstd],
});

await build({
  ...common,
  entryPoints: [
    ...["src/index.ts", "src/node.ts", "src/zarr.ts", "src/cli/main.ts", ...platforms].map((file) => ({
      in: file,
      out: outOf(file),
    })),
    // Found in the same way.
    { in: "src/serve/statements/statement-worker.node.ts", out: "jobs/statement-worker.node" },
    { in: "src/serve/datasets/trial-process.node.ts", out: "jobs/trial-process.node" },
  ],
  // Beside the workers' entries, which the pool finds relative to its own file.
  chunkNames: "jobs/[name]-[hash]",
  splitting: true,
  packages: "external",
  alias: { "#platform": "#built/platform", ...beside },
  external: ["#built/*"],
});

for (const [name, platform, alias] of [
  // As built above, which asks for no modules of Node that pages lack.
  ["worker", "browser", { libdeflate: "./dist/jobs/libdeflate.js" }],
  ["worker.node", "node", beside],
]) {
  await build({
    ...common,
    platform,
    // Beside the platform's own files, which start them.
    entryPoints: [{ in: `src/jobs/workers/${name}.ts`, out: `platform/${name}` }],
    // flatbuffers and aws4fetch come along; their licences are in licenses/. No worker decodes what needs zarrita.
    external: ["h5wasm", "h5wasm/*", "zarrita", "#built/*"],
    alias,
    plugins: [unpackedZstd],
  });
}

chmodSync("dist/cli/main.js", 0o755);
