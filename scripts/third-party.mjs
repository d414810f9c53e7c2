/**
 * Writes THIRD-PARTY-NOTICES.txt: node scripts/third-party.mjs [FILE]
 *
 * The packages whose code is in dist/ (their licences lie in licenses/), and those that npm installs beside, each with its
 * version and the whole text of its licence. dist/view/licenses.txt has those of the page, which its build finds itself.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Packages in the files of dist/, by the files of their licences. */
const INSIDE = {
  "@hpcc-js/wasm-zstd": ["hpcc.txt"],
  "apache-arrow": ["apachearrow.txt", "apachearrownotice.txt"],
  aws4fetch: ["awsfetch.txt"],
  commander: ["commander.txt"],
  flatbuffers: ["flatbuffers.txt"],
  libdeflate: ["libdeflatejs.txt"],
  tslib: ["tslib.txt"],
};
/** Libraries in C that those packages have as WebAssembly. */
const WITHIN = {
  "Zstandard, in @hpcc-js/wasm-zstd": ["zstd.txt"],
  "libdeflate (C), in libdeflate": ["libdeflate.txt"],
};
/** Licences of packages that do not carry them. */
const MISSING = { "@duckdb/duckdb-wasm": ["duckdbwasm.txt"] };

const ours = JSON.parse(readFileSync("package.json", "utf8"));
const manifest = (name) => JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"));
const titled = (name) => `${name} ${manifest(name).version} (${manifest(name).license})`;
const texts = (files) => files.map((file) => readFileSync(file, "utf8").trim()).join("\n\n");

/** The files of a package that are its licences. */
function licencesOf(name) {
  const folder = join("node_modules", name);
  const found = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file) && !/\.js$/.test(file));
  const missing = (MISSING[name] ?? []).map((file) => join("licenses", file));
  const files = [...found.sort().map((file) => join(folder, file)), ...missing];
  if (files.length === 0) throw new Error(`${name} has no licence: add one to licenses/ and to MISSING`);
  return files;
}

const beside = Object.keys({ ...ours.dependencies, ...ours.optionalDependencies }).filter((name) =>
  existsSync(join("node_modules", name)),
);
const notices = [
  ...Object.entries(INSIDE).map(([name, files]) => [titled(name), files.map((file) => join("licenses", file))]),
  ...Object.entries(WITHIN).map(([title, files]) => [title, files.map((file) => join("licenses", file))]),
  ...beside.filter((name) => !Object.hasOwn(INSIDE, name)).map((name) => [titled(name), licencesOf(name)]),
].sort(([a], [b]) => (a < b ? -1 : 1));

const INTRODUCTION = `annarrow is under the Apache License 2.0 (LICENSE). Its files in dist/ hold code of some of these packages, and npm
installs the others beside it. dist/view/licenses.txt has the licences of what is in the page of annarrow view alone.
scripts/third-party.mjs writes this file.`;
const rule = `\n\n${"=".repeat(80)}\n\n`;
writeFileSync(
  process.argv[2] ?? "THIRD-PARTY-NOTICES.txt",
  `${[INTRODUCTION, ...notices.map(([title, files]) => `${title}\n\n${texts(files)}`)].join(rule)}\n`,
);
