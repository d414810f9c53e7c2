/**
 * Writes the page to dist/view/: index.html for the server of `annarrow view`, static.html for a folder of files that needs
 * no server, assets/ with the scripts of both, and the licences of the packages in them. Fonts, scripts and styles come from
 * nowhere else.
 *
 * One build makes the page, the worker of the page without a server, and the workers that the library starts itself: they
 * share files, which scripts/chunks.mjs divides as in the library.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build as buildStyles } from "esbuild";
import { build } from "rolldown";
import { groups, packagesOfCommands } from "../../../scripts/chunks.mjs";
import { directImports } from "../../../scripts/entries.mjs";

const out = "dist/view";
rmSync(`${out}/assets`, { recursive: true, force: true });
mkdirSync(`${out}/assets`, { recursive: true });
/**
 * Packages of megabytes that few files need. They stay files of their own, in folders of these names beside assets/, which
 * `annarrow view --static` copies (packages/view/src/server/static-page.node.ts).
 */
const BESIDE = { h5wasm: "../h5wasm/hdf5_hl.js", "parquet-wasm": "../parquet-wasm/parquet_wasm.js" };

/** What stands in the place of packages that the page does without, by the names of files. */
const STAND_INS = {
  "nothing.js": "export default null;",
  // No figure of the page is a map: Plot asks for a projection, and is told that there is none.
  "no-maps.js": `const none = () => null; export { ${[
    ..."Albers AlbersUsa AzimuthalEqualArea AzimuthalEquidistant Centroid ClipRectangle ConicConformal".split(" "),
    ..."ConicEqualArea ConicEquidistant EqualEarth Equirectangular Gnomonic Graticule10 Mercator".split(" "),
    ..."Orthographic Path Stereographic Stream Transform TransverseMercator".split(" "),
  ]
    .map((name) => `none as geo${name}`)
    .join(", ")} };`,
  // For the same reason Plot finds no projection in the options of a figure.
  "no-projections.js": `const none = () => undefined; export { ${[
    ..."applyPosition createProjection getGeometryChannels hasProjection project".split(" "),
    ..."projectionAspectRatio xyProjection".split(" "),
  ]
    .map((name) => `none as ${name}`)
    .join(", ")} };`,
  // The page's own calls are checked by the compiler: it misspells no option.
  "no-option-names.js": `
    /* @__NO_SIDE_EFFECTS__ */ export function checkOptions() {}
    /* @__NO_SIDE_EFFECTS__ */ export function checkBatchOptions() {}
    /* @__NO_SIDE_EFFECTS__ */ export function checkVectorOptions() {}
    export const SIGNAL_OPTION = {};
    export const REGISTERED = "registered";`,
  // Tables that the page saves are those of datasets.
  "no-given-tables.js": "export const convertInputToTable = async (table) => table;",
  "no-row-names.js": "export const [findRowNamesColumn, dropRowNames, RowNames] = [() => null, null, null];",
  // The page opens plain files without the options of these.
  "no-options.js": `
    export const FRAME_OF_ROOT = "frame";
    export const createCfElement = () => null;
    export const withFrames = (tables) => tables;`,
  // Figures of the page name viridis alone, and Plot takes two others where none is named: the rest are large.
  "few-schemes.js": `
    import { interpolateTurbo, interpolateViridis, schemeObservable10 } from "d3-scale-chromatic";
    export const quantitativeScheme = (name) => ({ turbo: interpolateTurbo, viridis: interpolateViridis })[name];
    export const ordinalScheme = (name) => ({ observable10: schemeObservable10 })[name];
    export const [ordinalRange, maybeBooleanRange] = [() => undefined, () => undefined];
    export const [isCategoricalScheme, isDivergingScheme] = [() => false, () => false];`,
  // The page draws the legends of its figures itself: Plot is told that there are none.
  "no-legends.js": "export const [legend, createLegends, exposeLegends] = [null, () => [], () => null];",
  // Figures of the page get times as text: no axis has a scale of them.
  "no-times.js": `const none = () => null; export { ${[
    ..."createScaleTime createScaleUtc generalizeTimeInterval inferTimeFormat intervalDuration".split(" "),
    ..."parseTimeInterval timeFormat timeInterval utcFormat utcInterval".split(" "),
    ...["time", "utc"].flatMap((clock) =>
      "Second Minute Hour Day Week Month Year Ticks TickInterval".split(" ").map((unit) => `${clock}${unit}`),
    ),
  ]
    .map((name) => `none as ${name}`)
    .join(", ")} };`,
  // No figure of the page has Plot's tips: the page tells of its marks itself.
  "no-tips.js": "export const [Tip, tip] = [null, () => null];",
  "no-pointer.js": "export const [pointer, pointerX, pointerY] = [null, null, null];",
  // The page reads objects in the cloud, and saves to the disk alone.
  "no-cloud-writers.js":
    "export const [createS3Writer, createGcsWriter, createAzureWriter] = [() => null, () => null, () => null];",
  // Nobody displays a dataset in the console of the page, as notebooks do.
  "no-display.js": `
    export const [INSPECT, JUPYTER] = [Symbol("inspect"), Symbol("jupyter")];
    export const makeDisplayable = (table) => table;
    export const displayDataset = async () => ({});
    export const renderDatasetText = () => "dataset";`,
  // To zarrita the library leaves arrays whose codecs somebody has registered: nobody does here.
  "no-codecs.js": "export const registry = new Map();",
  // The browser compresses as well, only more slowly: a page reads more than it saves.
  "deflate-stream.js": `
    const by = (format) => async (bytes) => {
      const compressed = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream(format));
      return new Uint8Array(await new Response(compressed).arrayBuffer());
    };
    export const zlib = by("deflate");
    export const gzip = by("gzip");`,
};

/** Formats that the page reads and never saves. */
const UNUSED_WRITER =
  /(writers\/(bpcells|fragments-tsv|h5seurat|loom|matlab|mudata|generic|r)\/write|writers\/(r\/element-paths|bpcells\/rds-objects)|containers\/(arrays|rds)\/write\/(container|store))\.js$/;

/** What the page never asks of plain files: it opens them without the options `cf` and `frame`. */
const UNUSED_READER = /^\.\/(cf-element|frames)\.js$/;

/** Parts of Plot, by how it imports them, and what stands in their places. */
const PARTS_OF_PLOT = [
  [/\/marks\/tip\.js$/, "no-tips.js"],
  [/\/interactions\/pointer\.js$/, "no-pointer.js"],
  [/\/projection\.js$/, "no-projections.js"],
  [/\/legends\.js$/, "no-legends.js"],
  [/\/schemes\.js$/, "few-schemes.js"],
  [/\/(time|scales\/temporal)\.js$/, "no-times.js"],
];

/** Licences of packages that do not carry them. */
const LICENCES = { "@duckdb/duckdb-wasm": "licenses/duckdbwasm.txt" };

/** Texts of no use in a page: the help of the command line, and the rules of conversions that docs/conversions.md shows. */
const withoutTexts = {
  name: "without-texts",
  transform: {
    filter: { id: /[\\/](src[\\/](model[\\/]formats|formats[\\/]conversion)|r[\\/]src[\\/](model|conversion))[\\/]/ },
    handler: (code, id) =>
      /[\\/]model[\\/]/.test(id)
        ? code.replace(/\bhelp: "[^"]*"/g, 'help: ""')
        : code
            .replace(/\b(own|reading|writing|note): ("[^"]*"|'[^']*')(?=[\s,})])/g, '$1: ""')
            .replace(
              /\b(createUnchangedRule|createUnsupportedRule|createReadOnlyRule)\(\s*("[^"]*"|'[^']*')/g,
              '$1(""',
            ),
  },
};

const packages = {
  name: "packages",
  resolveId(id, from) {
    if (Object.hasOwn(BESIDE, id)) return { id: BESIDE[id], external: "absolute" };
    if (id === "zarrita") return "no-codecs.js";
    if (id === "d3-geo") return "no-maps.js";
    if (id === "d3-time" || id === "d3-time-format") return "no-times.js";
    if (/[/\\]plot[/\\]src/.test(from ?? "")) {
      for (const [part, standIn] of PARTS_OF_PLOT) if (part.test(id)) return standIn;
    }
    if (id === "libdeflate") return "deflate-stream.js";
    if (/\/display\/(display|plain)\.js$/.test(id)) return "no-display.js";
    if (/\/(s3|gcs|azure)-writer\.js$/.test(id)) return "no-cloud-writers.js";
    if (/\/given-table\.js$/.test(id)) return "no-given-tables.js";
    if (/\/row-names\.js$/.test(id)) return "no-row-names.js";
    if (/\/(option-names|table-options)\.js$/.test(id)) return "no-option-names.js";
    if (UNUSED_READER.test(id) && /readers[/\\]generic/.test(from ?? "")) return "no-options.js";
    return UNUSED_WRITER.test(id) ? "nothing.js" : null;
  },
  load: (id) => STAND_INS[id] ?? null,
  // What this package calls at its start only makes colours: marked so, scales that nobody imports are left out.
  transform: {
    filter: { id: /node_modules[\\/]d3-scale-chromatic[\\/]/ },
    handler: (code) => code.replace(/(?<=^var .*[=(,] ?)(?=(new )?[\w$]+\()/gm, "/* @__PURE__ */ "),
  },
};

/**
 * Parts of the library as one file each: a page may have its files from afar. The first is what the worker has at once, the
 * others are loaded when they are needed.
 */
const PARTS = {
  viewer:
    "packages/(view/src/(index|viewer|opened-input)|published/src/.*|r/src/(register|formats/.*|containers/rds/definition))",
  codecs: "src/(kernels/codecs|containers/zarr/codecs)/.*",
  cloud: "packages/cloud/src/.*",
  formats: "src/(readers|formats|containers/(arrays|bp128|joined|open|picked|tsv))/.*|packages/r/src/.*",
  writing:
    "src/((writers|io/targets|containers/(hdf5|zarr)/write|selection|concat|jobs/(external-sort|reorder))/.*|jobs/workers/chunk-encoder|tables/given/entry-lists|api/(convert|convert-to-store|write))",
  parquet: "src/(parquet|tables/files|ipc/read)/.*",
  query: "src/(query|sinks/duckdb)/.*",
};

/** What stands before them: that all files need, and two containers that most files are. */
const BEFORE = ["model", "reading", "hdf5", "zarr"];

/** What the page reads with every file, in one file, which compresses better than four. */
const READING = ["reading", "matrices", "parts", "workers"];
const readingTests = groups.filter(({ name }) => READING.includes(name)).map(({ test }) => test);
const beforeGroups = groups
  .filter(({ name }) => BEFORE.includes(name))
  .map((group) =>
    group.name === "reading" ? { ...group, test: (id) => readingTests.some((test) => test(id)) } : group,
  );

const partGroups = Object.entries(PARTS).map(([name, files]) => {
  const own = new RegExp(`^${files}\\.ts$`);
  return { name, test: (id) => own.test(relative(".", id).replaceAll("\\", "/")) };
});

const [{ output }] = await Promise.all([
  build({
    input: {
      main: "packages/view/page/src/main.tsx",
      "viewer-worker": "packages/view/page/src/worker/viewer-worker.ts",
      // platform/web.ts starts it by this name.
      worker: "packages/published/src/worker.ts",
    },
    platform: "browser",
    tsconfig: "packages/view/page/tsconfig.json",
    transform: { target: "es2023" },
    // Of the sources, only entries do something that nobody imports; packages say it of themselves.
    treeshake: {
      moduleSideEffects: [
        { test: /node_modules[\\/](@observablehq|d3-)/, sideEffects: false },
        { test: /[\\/](main\.tsx|(viewer-)?worker\.ts)$|[\\/]packages[\\/]published[\\/]src[\\/]/, sideEffects: true },
        { test: /^(?!.*node_modules).*[\\/]src[\\/]/, sideEffects: false },
      ],
    },
    checks: { ineffectiveDynamicImport: false },
    resolve: {
      mainFields: ["module", "main"],
      alias: {
        "apache-arrow": resolve("node_modules/apache-arrow"),
      },
    },
    plugins: [directImports, packages, withoutTexts],
    output: {
      dir: `${out}/assets`,
      format: "esm",
      minify: true,
      comments: { annotation: false, jsdoc: false, legal: true },
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      codeSplitting: {
        groups: [...packagesOfCommands, ...beforeGroups, ...partGroups, ...groups],
      },
    },
  }),
  buildStyles({
    entryPoints: ["packages/view/page/src/page.css"],
    outdir: `${out}/assets`,
    bundle: true,
    minify: true,
    target: "es2023",
  }),
]);

// The page asks for all scripts that it starts with at once, instead of one after the other has told of them.
const preloads = startOf("main.js").map((file) => `    <link rel="modulepreload" href="assets/${file}" />\n`);
for (const page of ["index.html", "static.html"]) {
  const html = readFileSync(`packages/view/page/${page}`, "utf8");
  writeFileSync(
    `${out}/${page}`,
    html.replace("  </head>", () => `${preloads.join("")}  </head>`),
  );
}

/** The scripts that one imports before it runs. */
function startOf(name, found = new Set()) {
  for (const imported of output.find(({ fileName }) => fileName === name)?.imports ?? []) {
    if (found.has(imported)) continue;
    found.add(imported);
    startOf(imported, found);
  }
  return [...found];
}

writeFileSync(`${out}/licenses.txt`, notices(output.flatMap((file) => Object.keys(file.modules ?? {}))));

/** The licences of all packages that the modules are of. */
function notices(modules) {
  const folders = new Set(modules.map((id) => /^.*node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0]));
  folders.delete(undefined);
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying|copyright)/i.test(file));
    const files = texts.length > 0 ? texts.map((file) => join(folder, file)) : [LICENCES[name]];
    if (files.includes(undefined)) throw new Error(`${name} has no text of its licence`);
    return [`${name} ${version} (${license})`, ...files.map((file) => readFileSync(file, "utf8").trim())].join("\n\n");
  });
  return parts.join(`\n\n${"=".repeat(80)}\n\n`).concat("\n");
}
