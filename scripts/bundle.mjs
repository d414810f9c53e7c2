/**
 * Writes the JavaScript of dist/: few files instead of seven hundred, since a short command spends most of its time on
 * loading modules. rolldown divides the library into the files of chunks.mjs. esbuild makes what is one file: workers, which
 * need nearly all of their modules, and which a page serves as one file, and packages that come along. Types come from tsc.
 *
 * The command line has files of its own, in dist/cli/, with commander and apache-arrow: the 146 files of apache-arrow take
 * longer to load than all others. Tables that the library gives are those of the user's apache-arrow, which stays an import.
 *
 * The entries for Node and for pages share their files: imports of the platform stay imports, and whoever loads or bundles
 * dist/ chooses one by its conditions. `#platform` leads to the sources (`imports` in package.json), `#built/platform` to
 * what is built.
 */

import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { build } from "esbuild";
import { build as buildChunks } from "rolldown";
import { firstOfCommands, groups, lastOfCommands } from "./chunks.mjs";
import { directImports } from "./entries.mjs";
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

/** The files that `imports` of a package.json chooses by condition, by their paths in dist/. */
function findFilesByCondition(folder) {
  const { imports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = Object.values(imports)
    .flatMap(Object.values)
    .filter((file) => file.startsWith("./src/"));
  return files.map((file) => [
    join(folder.replace(/^packages/, "."), file.replace(/^\.\/src\/|\.ts$/g, "")),
    join(folder, file),
  ]);
}

/** What each folder of the core offers to packages: `annarrow/core/FOLDER`, and `annarrow/node/FOLDER` for Node alone. */
const coreEntries = readdirSync("src", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => [
    [`core/${name}`, `src/${name}/index.ts`],
    [`node/${name}`, `src/${name}/index.node.ts`],
  ])
  .filter(([, file]) => existsSync(file));

/** Packages that come along, their licences in licenses/: their memory is then ours alone. Pages have them in their worker. */
const BESIDE = { "@hpcc-js/wasm-zstd": "wasm-zstd", libdeflate: "libdeflate" };
const beside = Object.fromEntries(Object.entries(BESIDE).map(([name, file]) => [name, `#built/${file}`]));

/** libdeflate asks for its folder, whose files it does not use: Parcel takes the folder for a file, and stops. */
const withoutFolder = {
  name: "without-folder",
  setup(build) {
    build.onLoad({ filter: /libdeflate\.wasm\.mjs$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(/new URL\(["'].["'], *import\.meta\.url\)\.pathname/, '""');
      if (contents === source) throw new Error(`${path} is of another form`);
      return { contents };
    });
  },
};

await build({
  ...common,
  entryPoints: Object.entries(BESIDE).map(([name, file]) => ({ in: name, out: `jobs/${file}` })),
  sourcemap: false,
  alias: { "#platform": "#built/platform" },
  external: ["#built/*"],
  plugins: [unpackedZstd, withoutFolder],
});

const shared = {
  tsconfig: "tsconfig.json",
  transform: { target: common.target },
  // `sideEffects` of package.json speaks of dist/. Of the sources, these do something that nobody imports, and the entry of
  // apache-arrow adds Node's streams to its classes.
  treeshake: {
    moduleSideEffects: (id) =>
      /packages[\\/](cli[\\/]src[\\/]command-line|published[\\/]src[\\/][^\\/]*)\.ts$|Arrow\.node\.mjs$/.test(id),
  },
  // Some modules import at once what others import by `import()`: it is loaded with the first.
  checks: { ineffectiveDynamicImport: false },
};
const output = {
  dir: common.outdir,
  format: common.format,
  comments: { jsdoc: false },
  sourcemap: common.sourcemap,
  sourcemapExcludeSources: true,
};

/** Files that run in threads and processes of their own, found relative to the files that start them. */
const started = (folder) => ({
  [`${folder}/statement-worker.node`]: "packages/published/src/statement-worker.node.ts",
  [`${folder}/trial-process.node`]: "packages/published/src/trial-process.node.ts",
});

/** What registers formats is a file of its own, so that `sideEffects` of package.json can name it. */
const registering = {
  "published/register": "packages/published/src/register.ts",
  "published/register.node": "packages/published/src/register.node.ts",
};

const entries = {
  index: "packages/published/src/index.ts",
  node: "packages/published/src/node.ts",
  zarr: "src/zarr.ts",
  format: "src/format.ts",
  extend: "src/model/formats/extend.ts",
  scheme: "src/scheme.ts",
  view: "packages/published/src/view.ts",
  ...registering,
  ...Object.fromEntries([...coreEntries, ...findFilesByCondition("."), ...findFilesByCondition("packages/cloud")]),
};

await buildChunks({
  ...shared,
  // With "node", files get a helper that imports a module of Node, which pages lack.
  platform: "neutral",
  input: { ...entries, ...started("jobs") },
  plugins: [directImports, { name: "outside", resolveId: outside }],
  output: { ...output, chunkFileNames: "jobs/[name]-[hash].js", codeSplitting: { groups } },
});

await buildChunks({
  ...shared,
  platform: "node",
  input: {
    "cli/main": "packages/cli/src/main.ts",
    "cli/work-process.node": "packages/published/src/work-process.node.ts",
    ...started("cli"),
  },
  resolve: { conditionNames: ["node", "import"], mainFields: ["module", "main"] },
  plugins: [directImports, { name: "outside", resolveId: outsideOfCommandLine }],
  output: {
    ...output,
    chunkFileNames: "cli/[name]-[hash].js",
    codeSplitting: { groups: [...firstOfCommands, ...groups, ...lastOfCommands] },
  },
});
// The pool finds its worker beside the platform's file.
writeFileSync("dist/cli/worker.node.js", 'import "../platform/worker.node.js";\n');

/**
 * Arrays that h5wasm or zarrita must read have no plan for workers (`plan` in containers/hdf5/dataset/array.ts and
 * containers/zarr/array.ts): the thread that opened the file reads them.
 */
const notInWorkers = {
  name: "not-in-workers",
  setup(build) {
    build.onResolve({ filter: /^(h5wasm|zarrita)$/ }, ({ path }) => ({ path, namespace: "not-in-workers" }));
    build.onLoad({ filter: /.*/, namespace: "not-in-workers" }, () => ({
      contents: "export const registry = new Map();",
    }));
  },
};

/** Workers open no inputs: they reopen, by a plan, what the main thread has opened. */
const withoutInputs = {
  name: "without-inputs",
  setup(build) {
    build.onLoad({ filter: /cloud-source\.ts$/ }, () => ({ contents: "export const openCloudSource = null;" }));
  },
};

for (const [name, platform, alias] of [
  // As built above, which asks for no modules of Node that pages lack.
  ["worker", "browser", { libdeflate: "./dist/jobs/libdeflate.js" }],
  ["worker.node", "node", beside],
]) {
  const inPages = platform === "browser";
  await build({
    ...common,
    platform,
    // Beside the platform's own files, which start them.
    entryPoints: [{ in: `packages/published/src/${name}.ts`, out: `platform/${name}` }],
    // flatbuffers and aws4fetch come along; their licences are in licenses/.
    external: ["h5wasm", "h5wasm/*", "zarrita", "#built/*"],
    alias,
    // Vite puts all imports of a worker into one file, which pages load whenever a worker starts; and the less there is to
    // do, the sooner a page is built: webpack takes two thirds of the time for a worker that is minified already.
    minify: inPages,
    // It imports nothing any more, so this tells that it is a module.
    ...(inPages ? { footer: { js: "export {};" } } : {}),
    plugins: [unpackedZstd, withoutInputs, ...(inPages ? [notInWorkers] : [])],
  });
}

chmodSync("dist/cli/main.js", 0o755);

/** As `outside`, but the command line has the platform of Node and these packages in its own files. Licences: licenses/. */
function outsideOfCommandLine(id) {
  return /^(#platform|apache-arrow|commander|flatbuffers|tslib)\b/.test(id) ? null : outside(id);
}

/** Packages stay imports, and `#platform` becomes an import of what is built. */
function outside(id) {
  if (/^(\.|src\/|packages\/|@?annarrow(\/|$))/.test(id) || isAbsolute(id)) return null;
  return { id: beside[id] ?? id.replace(/^#platform/, "#built/platform"), external: true };
}
