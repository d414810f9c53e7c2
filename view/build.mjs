/**
 * Writes the page to dist/view/: index.html for the server of `annarrow view`, static.html for a folder of files that needs
 * no server, and assets/ with the scripts of both. Fonts, scripts and styles come from nowhere else.
 *
 * One build makes the page, the worker of the page without a server, and the workers that the library starts itself: they
 * share files, which scripts/chunks.mjs divides as in the library.
 */

import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { build as buildStyles } from "esbuild";
import { build } from "rolldown";
import { groups, packagesOfCommands } from "../scripts/chunks.mjs";

const out = "dist/view";
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/assets`, { recursive: true });
for (const page of ["index.html", "static.html"]) copyFileSync(`view/${page}`, `${out}/${page}`);

/**
 * Packages of megabytes that few files need. They stay files of their own, in folders of these names beside assets/, which
 * `annarrow view --static` copies (src/view/server/static-page.node.ts).
 */
const BESIDE = { h5wasm: "../h5wasm/hdf5_hl.js", "parquet-wasm": "../parquet-wasm/parquet_wasm.js" };

const NOTHING = "nothing.js";

const packages = {
  name: "packages",
  resolveId(id) {
    if (Object.hasOwn(BESIDE, id)) return { id: BESIDE[id], external: "absolute" };
    // zarrita's own decoders, for arrays that the library leaves to it: pages register no codecs, so it leaves none.
    if (id.startsWith("numcodecs")) return NOTHING;
    // libdeflate asks for these in Node.
    if (id === "path" || id === "fs") return NOTHING;
    return null;
  },
  load: (id) => (id === NOTHING ? "export default null;" : null),
};

await Promise.all([
  build({
    input: {
      main: "view/src/main.tsx",
      "viewer-worker": "view/src/worker/viewer-worker.ts",
      // platform/web.ts starts it by this name.
      worker: "src/jobs/workers/worker.ts",
    },
    platform: "browser",
    tsconfig: "view/tsconfig.json",
    transform: { target: "es2023" },
    // Of the sources, only entries do something that nobody imports.
    treeshake: {
      moduleSideEffects: (id) => !/[\\/]src[\\/]/.test(id) || /[\\/](main\.tsx|(viewer-)?worker\.ts)$/.test(id),
    },
    checks: { ineffectiveDynamicImport: false },
    resolve: {
      mainFields: ["module", "main"],
      alias: { "annarrow/view": resolve("src/view.ts"), "apache-arrow": resolve("node_modules/apache-arrow") },
    },
    plugins: [packages],
    output: {
      dir: `${out}/assets`,
      format: "esm",
      minify: true,
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      codeSplitting: { groups: [...packagesOfCommands, ...groups] },
    },
  }),
  buildStyles({
    entryPoints: ["view/src/page.css"],
    outdir: `${out}/assets`,
    bundle: true,
    minify: true,
    target: "es2023",
  }),
]);
