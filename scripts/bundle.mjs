/**
 * Writes the JavaScript of dist/: few files instead of two hundred, since a short command spends most of its time on
 * loading modules. What is loaded by `import()` stays in files of its own. Types come from tsc.
 */

import { chmodSync, readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

// Files of an earlier build, whose names end in other hashes.
for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(`dist/${file}`);
}

await build({
  entryPoints: ["src/index.ts", "src/node.ts", "src/cli/main.ts", "src/jobs/worker.ts", "src/jobs/worker.node.ts"],
  outdir: "dist",
  outbase: "src",
  // Beside the workers' entries, which the pool finds relative to its own file.
  chunkNames: "jobs/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "es2023",
  packages: "external",
  sourcemap: true,
  sourcesContent: false,
});

chmodSync("dist/cli/main.js", 0o755);
