// Reads files of other projects: node .ci/foreign/foreign.mjs FOLDER OUT [--full]
//
// Below FOLDER stands a folder for each project, as foreign_files.py makes them. HDF5 files are compared with libhdf5, object
// by object. What is in Parquet and Arrow files goes to OUT as a stream of Arrow, what is in Zarr stores as bytes in C order,
// where foreign_compare.py compares them. Prints a line of JSON for each thing: the size class and project of the file, and
// how it ended: equal, refused (by an error of ours, or no value), wrong, untyped, or written to OUT.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { importBundled } from "../../scripts/import-bundled.mjs";

/** Larger ones are for --full. */
const LARGE = 4 * 2 ** 20;
/** Arrays whose values would not fit. */
const MAX_VALUES = 2 ** 26;

const [folder, out, mode] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const ours = await importBundled(
  "test/containers/hdf5/cross-check.ts",
  "src/containers/hdf5/file/superblock.ts",
  "src/containers/zarr/open.ts",
  "src/io/sources/zip.ts",
  "src/io/sources/directory.node.ts",
  "src/io/sources/memory.ts",
  "src/model/stored.ts",
  "src/model/errors.ts",
  "src/api/open.node.ts",
  "src/sinks/ipc/ipc.ts",
);

/** One reason for all names and numbers in it. */
const general = (reason) =>
  reason
    .split("\n")[0]
    .replace(/(external link to |external storage: the values lie in ).*/, "$1another file")
    .replace(/; other files are opened only in .*/, "")
    .replace(/"[^"]*"/g, '"…"')
    .replace(/(?<![A-Za-z])-?\d[\d.e+]*/g, "N")
    .slice(0, 160);

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
/** Of an error that ended something as a whole. */
const ended = (error) =>
  ours.isAnnarrowError(error)
    ? { how: "refused", reason: general(error.problem) }
    : { how: "untyped", reason: general(String(error)) };

async function hdf5(say, source, bytes) {
  let result;
  try {
    result = await ours.crossCheck(source, bytes);
  } catch (error) {
    // Where libhdf5 itself gives up there is nothing to compare with.
    const theirs = /^Error: (libhdf5|error - name not defined)/.test(String(error));
    return say(theirs ? { how: "refused", reason: "libhdf5 gives up" } : ended(error));
  }
  say({ how: "equal", count: Object.values({ ...result.equal, values: 0 }).reduce((sum, one) => sum + one, 0) });
  for (const one of result.skipped) say({ how: "refused", reason: general(one.slice(one.indexOf(": ") + 2)) });
  for (const one of result.different) {
    const what = one.slice(one.indexOf(": ") + 2);
    const wrong = what === "values" || what.includes("libhdf5 has ");
    const how = wrong ? "wrong" : what.startsWith("no error of ours") ? "untyped" : "refused";
    say({ how, reason: wrong ? one : general(what) });
  }
}

async function table(say, bytes, path) {
  let dataset;
  try {
    dataset = await ours.open(bytes);
    for (const error of dataset.failures.values()) say(ended(error));
    for (const one of dataset.tables.values()) {
      const chunks = [];
      for await (const chunk of ours.ipcStream(one)) chunks.push(chunk);
      say({ how: "table", path, ours: written(Buffer.concat(chunks)) });
    }
  } catch (error) {
    say(ended(error));
  } finally {
    await dataset?.close();
  }
}

async function zarr(say, source, path) {
  try {
    const container = await ours.openZarr(source);
    const nodes = [container.root];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      try {
        if (node.kind === "array") await zarrArray(say, node, path);
        else {
          say({ how: "equal", count: 0 });
          for (const name of await node.keys()) {
            await node.open(name).then(
              (child) => nodes.push(child),
              (error) => say(ended(error)),
            );
          }
        }
      } catch (error) {
        say(ended(error));
      }
    }
  } catch (error) {
    say(ended(error));
  }
}

async function zarrArray(say, array, path) {
  const { path: at, shape, type } = array;
  if (type.kind === "unsupported") return say({ how: "refused", reason: general(type.name) });
  if (shape.reduce((a, b) => a * b, 1) > MAX_VALUES) return say({ how: "refused", reason: "too large to compare" });
  const values = await array.read(0, shape.length === 0 ? 1 : shape[0]);
  if (values.kind === "record") return say({ how: "refused", reason: "a record: compared elsewhere" });
  const parts =
    values.kind === "fixed" ? [ours.viewAsBytes(values.values)] : [ours.viewAsBytes(values.offsets), values.bytes];
  say({
    how: "array",
    path,
    at,
    shape,
    kind: values.kind,
    ours: written(Buffer.concat(parts)),
    offsets: values.offsets?.length,
  });
}

function written(bytes) {
  const name = join(out, createHash("sha1").update(bytes).digest("hex"));
  writeFileSync(name, bytes);
  return name;
}

const names = readdirSync(folder, { recursive: true }).sort();
const isStore = (path) => [".zgroup", ".zarray", "zarr.json"].some((name) => names.includes(join(path, name)));
const stores = ["", ...names].filter(isStore);
const within = (name) => stores.some((store) => name.startsWith(`${store}${sep}`));
for (const name of names) {
  const path = join(folder, name);
  const project = name.split(sep)[0];
  const whole = { project, file: relative(folder, path) };
  if (within(name)) continue;
  if (isStore(name)) {
    const say = (line) => print({ size: "small", ...whole, ...line });
    await zarr(say, await ours.openDirectorySource(path), path);
    continue;
  }
  if (!statSync(path).isFile()) continue;
  const size = statSync(path).size > LARGE ? "large" : "small";
  if (size === "large" && mode !== "--full") continue;
  const say = (line) => print({ size, ...whole, ...line });
  const bytes = new Uint8Array(readFileSync(path));
  const source = ours.createBytesSource(bytes, path);
  if (await ours.isHdf5(source)) await hdf5(say, source, bytes);
  else if (/\.zarr\.zip$/.test(name)) await zarr(say, await ours.zipSource(source), path);
  else if (/\.(parquet|arrow|arrows|feather|stream)$/i.test(name)) await table(say, bytes, path);
  else say({ how: "refused", reason: "no HDF5: an older format" });
}
