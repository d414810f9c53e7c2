/** Fragments between BPCells' containers, 10x text and tables. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { convert, write } from "../../../packages/published/src/node.js";
import { folder, open, place } from "./opened.js";

const FIXTURES = "test/fixtures/data/fragments";
const files = (path: string) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name)).toString("hex")]));

/** Lines without the fifth column, and without what stands before them. */
const lines = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split("\t").slice(0, 4).join("\t"));

test.each([
  ["packed", {}],
  ["unpacked", { packed: false }],
  ["empty", {}],
])("%s: HDF5, an R object and tables keep every byte of the store", async (store, options) => {
  const original = `${FIXTURES}/${store}`;
  let from = original;
  for (const [extension, to] of [
    ["h5", "bpcells"],
    ["rds", "bpcells"],
    ["tables", "arrow"],
    ["bpcells", undefined],
  ] as const) {
    const output = place(extension);
    const written = to === "arrow" ? { format: to } : { ...options, ...(to === undefined ? {} : { format: to }) };
    expect((await convert(from, output, written)).warnings).toEqual([]);
    from = output;
  }
  expect(files(from)).toEqual(files(original));
});

test.each(["tsv", "tsv.gz"])("a store as .%s, and the store of the text again", async (extension) => {
  const text = join(folder(), `fragments.${extension}`);
  await convert(`${FIXTURES}/packed`, text);
  const bytes = readFileSync(text);
  const written = (extension === "tsv" ? bytes : gunzipSync(bytes)).toString();
  expect(lines(written)).toEqual(lines(readFileSync(`${FIXTURES}/fragments.tsv`, "utf8")));
  const output = place("bpcells");
  await convert(text, output);
  expect(files(output)).toEqual(files(`${FIXTURES}/packed`));
});

test("counts of reads are lost, where that is allowed", async () => {
  const text = `${FIXTURES}/fragments.tsv.gz`;
  await expect(convert(text, place("bpcells"))).rejects.toThrow(/fragments of BPCells have no column count/);
  const output = place("bpcells");
  const { warnings } = await convert(text, output, { lossy: true });
  expect(warnings).toEqual([expect.stringContaining("no column count")]);
  expect(files(output)).toEqual(files(`${FIXTURES}/packed`));
});

test("tables of the caller become a store, or text", async () => {
  const fragments = await (await open(`${FIXTURES}/packed`)).table("fragments").read();
  const output = place("bpcells");
  await write(output, { fragments });
  expect(files(output)).toEqual(files(`${FIXTURES}/packed`));
  const text = place("tsv.gz");
  const result = await write(text, { fragments });
  expect(result.tables).toEqual([{ name: "fragments", rows: fragments.numRows }]);
  expect(lines(gunzipSync(readFileSync(text)).toString())).toHaveLength(fragments.numRows);
});

test("text of fragments, as tables, is read back", async () => {
  const tables = place("tables");
  await convert(`${FIXTURES}/fragments.tsv.gz`, tables, { format: "parquet" });
  const data = await open(tables);
  expect(data).toMatchObject({ format: "10x", container: "tsv" });
  const text = place("tsv");
  await convert(tables, text, { format: "10x" });
  const original = gunzipSync(readFileSync(`${FIXTURES}/fragments.tsv.gz`)).toString();
  expect(readFileSync(text, "utf8")).toBe(original.replace(/^#.*\n/gm, ""));
});

test.each([
  [`${FIXTURES}/packed`, "h5ad", {}, /fragments: AnnData has no place for it; choose/],
  ["test/fixtures/data/bpcells/packed", "tsv.gz", {}, /no table of fragments/],
  [`${FIXTURES}/packed`, "tsv.gz", { compression: "gzip" }, /fragments have no choice of a compression/],
  [`${FIXTURES}/packed`, "tsv.gz", { packed: false }, /no choice of packed arrays/],
] as const)("refused: %s as .%s, %j", async (input, extension, options, message) => {
  await expect(convert(input, place(extension), options)).rejects.toThrow(message);
  expect(readdirSync(folder()).filter((name) => name.startsWith("."))).toEqual([]);
});

test("refused: a compression for tables that are given by name", async () => {
  const data = await open(`${FIXTURES}/packed`);
  const output = place("tsv.gz");
  const written = write(output, { fragments: data.table("fragments") }, { compression: "gzip" });
  await expect(written).rejects.toThrow(/fragments have no choice of a compression/);
  expect(existsSync(output)).toBe(false);
});
