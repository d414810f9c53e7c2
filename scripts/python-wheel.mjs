/**
 * Makes the Python wheel of packages/python/: `node scripts/python-wheel.mjs OUT [PYTHON]`, after `npm run build`. PYTHON needs pip.
 *
 * The wheel carries the command line as dist/cli/ has it, and the packages that it loads with their files of WebAssembly,
 * for Node alone: no types, no source maps, of files for pages those of `annarrow view`. Packages with native code stay out. THIRD-PARTY-NOTICES.txt
 * has the licences of all packages, also of those in the files of dist/cli/.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";

const PACKAGE = "packages/python/src/annarrow/_bundle";

/** Packages that are part of dist/cli/; licenses/ has their licences. */
const INSIDE = ["apache-arrow", "flatbuffers"];

/** Files that Node does not load. */
const UNUSED = [
  /\.d\.[cm]?ts$|\.map$/,
  /\/(test|tests|docs|examples|types|src\/.*\.ts)\//,
  /^@duckdb\/duckdb-wasm\/dist\/(?!duckdb-node-blocking\.cjs|duckdb-eh\.wasm)/,
  /^h5wasm\/dist\/iife\//,
  /^parquet-wasm\/(bundler|esm)\//,
  /^protobufjs\/(dist|scripts|cli)\//,
];
const USED = /\.([cm]?js|json|wasm)$/;
const LICENCE = /^(licen[cs]e|notice|copying)/i;

const { dependencies, optionalDependencies, version, imports } = JSON.parse(readFileSync("package.json", "utf8"));

function build(out, python) {
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  const built = Object.entries(imports).filter(([name]) => ["#built/libdeflate", "#built/wasm-zstd"].includes(name));
  const files = [
    ...filesBelow("dist/cli")
      .filter((file) => file.endsWith(".js"))
      .map((file) => `dist/cli/${file}`),
    ...filesBelow("dist/view").map((file) => `dist/view/${file}`),
    "dist/platform/worker.node.js",
    ...built.map(([, { default: file }]) => file),
  ];
  for (const file of files) cpSync(file, join(PACKAGE, file));
  writeJson("package.json", { name: "annarrow", version, type: "module", imports: Object.fromEntries(built) });

  // DuckDB-WASM asks for apache-arrow, and gets the one in dist/cli/ (sinks/duckdb/duckdb.node.ts): it has to have a place.
  mkdirSync(join(PACKAGE, "node_modules/apache-arrow"), { recursive: true });
  writeJson("node_modules/apache-arrow/package.json", { name: "apache-arrow", main: "index.js" });
  writeFileSync(
    join(PACKAGE, "node_modules/apache-arrow/index.js"),
    'throw new Error("apache-arrow is in dist/cli/");\n',
  );

  const notices = filesBelow("licenses").map((file) => notice(basename(file, ".txt"), [`licenses/${file}`]));
  const roots = Object.keys({ ...dependencies, ...optionalDependencies });
  for (const folder of [...packagesBelow(roots, process.cwd())].sort()) notices.push(copyPackage(folder));
  writeFileSync("packages/python/THIRD-PARTY-NOTICES.txt", notices.join(`\n${"=".repeat(80)}\n\n`));
  cpSync("LICENSE", "packages/python/LICENSE");

  execFileSync(python, ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, "./packages/python"], {
    stdio: "inherit",
  });
}

/** The folders of packages, and of all that they need. */
function packagesBelow(names, from, found = new Set()) {
  for (const name of names) {
    if (INSIDE.includes(name) || name.startsWith("@types/")) continue;
    const folder = packageFolder(name, from);
    if (found.has(folder)) continue;
    found.add(folder);
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    packagesBelow(Object.keys(dependencies), folder, found);
  }
  return found;
}

/** The folder of a package as a module in `from` finds it. */
function packageFolder(name, from) {
  const folders = createRequire(join(from, "package.json")).resolve.paths(name);
  const folder = folders.map((one) => join(one, name)).find((one) => existsSync(join(one, "package.json")));
  if (folder === undefined) throw new Error(`${from} needs ${name}, which is not installed`);
  return folder;
}

/** The files below a folder, in order; not those of packages in it. */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      return entry.name === "node_modules"
        ? []
        : filesBelow(join(folder, entry.name)).map((file) => `${entry.name}/${file}`);
    });
}

/** Copies the files of a package that Node loads; returns its licence. */
function copyPackage(folder) {
  const all = filesBelow(folder);
  const name = relative("node_modules", folder).replaceAll("\\", "/");
  for (const file of all) {
    const path = `${name}/${file}`;
    if (/\.node$/.test(file)) throw new Error(`${path} is native code`);
    if (USED.test(file) && !UNUSED.some((unused) => unused.test(path))) {
      cpSync(join(folder, file), join(PACKAGE, "node_modules", path));
    }
  }
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = all.filter((file) => dirname(file) === "." && LICENCE.test(file) && !/\.[cm]?js$/.test(file));
  if (texts.length === 0 && license === undefined) throw new Error(`${name} has no licence`);
  return notice(
    `${name} ${version} (${license})`,
    texts.map((file) => join(folder, file)),
  );
}

function notice(title, files) {
  return [title, ...files.map((file) => readFileSync(file, "utf8").trim())].join("\n\n").concat("\n");
}

function writeJson(file, value) {
  writeFileSync(join(PACKAGE, file), `${JSON.stringify(value, null, 2)}\n`);
}

const [out, python = "python3"] = process.argv.slice(2);
if (out === undefined) {
  process.stderr.write("usage: node scripts/python-wheel.mjs OUT [PYTHON]\n");
  process.exit(2);
}
build(resolve(out), python);
