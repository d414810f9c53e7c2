// Opens files that were made to break readers of HDF5: node .ci/cve.mjs FOLDER OUT
//
// Every object of every file is opened and read twice: as a dataset, whose failures must be errors of ours, and as a tree of
// HDF5, whose arrays and attributes go to OUT as JSON, where compare/cve.py compares them with what libhdf5 reads. Prints
// what has a reason that nobody wrote, and ends with an error where there is any.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importBundled } from "../scripts/import-bundled.mjs";

/** Arrays whose values would not fit. */
const MAX_VALUES = 2 ** 22;

const [folder, out] = process.argv.slice(2);
const ours = await importBundled(
  "src/containers/hdf5/container.ts",
  "src/io/sources/memory.ts",
  "src/model/stored.ts",
  "src/model/errors.ts",
  "src/api/open.ts",
);

const untyped = [];
const base64 = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** The reason of a refusal. One that is the message of an error of JavaScript is noted. */
function refused(file, error) {
  const isRaw = !ours.isAnnarrowError(error) || error.problem === error.cause?.message;
  if (isRaw) untyped.push(`${file}: ${error?.cause?.stack ?? error?.stack ?? error}`);
  return { refused: String(error?.problem ?? error) };
}

async function dataset(file, bytes) {
  let opened;
  try {
    opened = await ours.open(bytes);
  } catch (error) {
    refused(file, error);
    return;
  }
  for (const error of opened.failures.values()) refused(file, error);
  for (const table of opened.tables.values()) {
    try {
      for await (const _ of table.batches({ rows: [0, Math.min(table.rows ?? 0, MAX_VALUES)] }));
    } catch (error) {
      refused(file, error);
    }
  }
  await opened.close();
}

function plainValues(values) {
  switch (values.kind) {
    case "fixed":
      return { kind: "fixed", bytes: base64(ours.viewAsBytes(values.values)) };
    case "variable":
      return { kind: "variable", offsets: Array.from(values.offsets), bytes: base64(values.bytes) };
    case "record":
      return { kind: "record", fields: values.fields.map(plainValues) };
    case "sequence":
      return { kind: "sequence", offsets: Array.from(values.offsets), values: plainValues(values.values) };
    default:
      throw new TypeError(`values of the kind ${values.kind}`);
  }
}

async function arrayOf(array) {
  const { shape, type } = array;
  const size = (shape ?? []).reduce((a, b) => a * b, 1);
  if (shape === null || type.kind === "unsupported") return { shape, refused: type.name ?? "no values" };
  if (size > MAX_VALUES) return { shape, refused: "too large to compare" };
  return { shape, type, values: plainValues(await array.read(0, shape.length === 0 ? 1 : shape[0])) };
}

async function tree(file, bytes) {
  const objects = {};
  const seen = new Set();
  const add = async (path, open) => {
    try {
      const node = await open();
      const attributes = Object.fromEntries(node.attributes);
      if (node.kind === "array") {
        objects[path] = { attributes, ...(await arrayOf(node).catch((error) => refused(file, error))) };
        return;
      }
      objects[path] = { attributes };
      if (seen.has(node.id)) return;
      seen.add(node.id);
      for (const name of await node.keys()) await add(`${path === "/" ? "" : path}/${name}`, () => node.open(name));
    } catch (error) {
      objects[path] = { ...objects[path], ...refused(file, error) };
    }
  };
  await add("/", async () => (await ours.openHdf5(ours.createBytesSource(bytes, file))).root);
  return objects;
}

const files = {};
for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith(".h5")) continue;
  const bytes = new Uint8Array(readFileSync(join(folder, file)));
  await dataset(file, bytes);
  files[file] = await tree(file, bytes);
}
writeFileSync(
  out,
  JSON.stringify(files, (_, one) =>
    typeof one === "bigint" ? String(one) : one instanceof Uint8Array ? { bytes: base64(one) } : one,
  ),
);
for (const one of untyped) process.stdout.write(`${one}\n`);
process.exitCode = untyped.length > 0 || Object.keys(files).length === 0 ? 1 : 0;
