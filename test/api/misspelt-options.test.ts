import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromArrays } from "apache-arrow";
import { expect, test } from "vitest";
import { InvalidInputError } from "../../packages/published/src/index.js";
import * as annarrow from "../../packages/published/src/node.js";
import { checkOptions } from "../../src/model/option-names.js";
import { cleanups } from "../cleanups.js";

const PBMC = "examples/pbmc.h5ad";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-options-"));
  cleanups.test.add(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Options as plain JavaScript gives them, with one more name than their type has. */
const wrong = <T extends object>(name: string, value: unknown = 1, options: T = Object()): T =>
  Object.assign(options, { [name]: value });

const tables = () => ({ obs: tableFromArrays({ _index: ["a"] }), var: tableFromArrays({ _index: ["g"] }) });

async function drained(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}

/** A call with a misspelt option, and what its error says. */
const CALLS: Readonly<Record<string, readonly [call: (folder: string) => Promise<unknown>, message: string]>> = {
  open: [() => annarrow.open(PBMC, wrong("Text")), "open has no option Text; did you mean text?"],
  "open, of requests": [
    () => annarrow.open(PBMC, { http: wrong("timout") }),
    "http has no option timout; did you mean timeout?",
  ],
  "open, of an object store": [
    () => annarrow.open(PBMC, { cloud: { s3: wrong("regoin") } }),
    "s3 has no option regoin; did you mean region?",
  ],
  "open, like no other": [() => annarrow.open(PBMC, wrong("chunkrows")), "open has no option chunkrows; it has path,"],
  convert: [
    (folder) => annarrow.convert(PBMC, join(folder, "a.zarr"), wrong("zarrformat")),
    "convert has no option zarrformat; did you mean zarrFormat?",
  ],
  "write to a path": [
    (folder) => annarrow.write(join(folder, "a.h5ad"), tables(), wrong("overWrite")),
    "write has no option overWrite; did you mean overwrite?",
  ],
  "write to a Map": [
    () => annarrow.write(new Map(), tables(), wrong("levle")),
    "write has no option levle; did you mean level?",
  ],
  writeBytes: [
    () => annarrow.writeBytes("h5ad", tables(), wrong("compresion")),
    "writeBytes has no option compresion; did you mean compression?",
  ],
  concat: [
    () => annarrow.concat([PBMC, PBMC], wrong("index_unique")),
    "concat has no option index_unique; did you mean indexUnique?",
  ],
  writeCompanion: [
    () => annarrow.writeCompanion(PBMC, wrong("besides")),
    "writeCompanion has no option besides; did you mean beside?",
  ],
  removeCompanion: [
    () => annarrow.removeCompanion(PBMC, wrong("cach")),
    "removeCompanion has no option cach; did you mean cache?",
  ],
  view: [() => annarrow.view(PBMC, wrong("Port")), "view has no option Port; did you mean port?"],
  serve: [
    (folder) => annarrow.serve(folder, wrong("readonly", true, { port: 0, log: null })),
    "serve has no option readonly; did you mean readOnly?",
  ],
  union: [
    (folder) => annarrow.union([PBMC], join(folder, "a"), wrong("varkey")),
    "union has no option varkey; did you mean varKey?",
  ],
  "union, of its elements": [
    (folder) => annarrow.planUnion([PBMC], join(folder, "a"), { elements: wrong("layer") }),
    "elements has no option layer; did you mean layers?",
  ],
  cleanUnion: [(folder) => annarrow.cleanUnion(folder, wrong("clod")), "cleanUnion has no option clod; did you mean"],
  removeFromUnion: [
    (folder) => annarrow.removeFromUnion(folder, [], wrong("htp")),
    "removeFromUnion has no option htp; did you mean http?",
  ],
};

for (const [name, [call, message]] of Object.entries(CALLS)) {
  test(`${name} refuses a misspelt option`, async () => {
    const found = call(temporaryFolder());
    await expect(found).rejects.toThrow(InvalidInputError);
    await expect(found).rejects.toThrow(message);
  });
}

test("an opened dataset and its tables refuse a misspelt option", async () => {
  await using data = await annarrow.open(PBMC);
  const obs = data.table("obs");
  const refused = async (call: Promise<unknown>, message: string) => expect(call).rejects.toThrow(message);
  await refused(obs.read(wrong("colums")), "reading a table has no option colums; did you mean columns?");
  await refused(drained(obs.batches(wrong("row"))), "reading a table has no option row; did you mean rows?");
  await refused(data.gene("CD3E", wrong("laier")), "gene has no option laier; did you mean layer?");
  await refused(data.cells("a", wrong("name")), "cells has no option name; did you mean names?");
  await refused(data.obsNames(wrong("singal")), "obsNames has no option singal; did you mean signal?");
  await refused(data.select(wrong("dropunused")), "select has no option dropunused; did you mean dropUnused?");
  await refused(annarrow.axisSums(data.table("X"), "row", wrong("sig")), "axisSums has no option sig; it has signal");
  await refused(
    annarrow.split(data, join(temporaryFolder(), "a"), wrong("By", 1, { by: "cell_type" })),
    "split has no option By; did you mean by?",
  );
  const connection = { run: async () => null, createAppender: async () => null };
  await refused(
    annarrow.loadIntoDuckDB(data, connection, wrong("table")),
    "loadIntoDuckDB has no option table; did you mean tables?",
  );
});

test("files of one table refuse a misspelt option when they are asked for", async () => {
  await using data = await annarrow.open(PBMC);
  const obs = data.table("obs");
  expect(() => annarrow.parquetFile(obs, wrong("compresson"))).toThrow("did you mean compression?");
  expect(() => annarrow.csv(obs, wrong("delimeter"))).toThrow("csv has no option delimeter; did you mean delimiter?");
  expect(() => annarrow.ipcFile(obs, wrong("batchbytes"))).toThrow("did you mean batchBytes?");
  expect(() => annarrow.ipcStream(obs, wrong("onprogress"))).toThrow("did you mean onProgress?");
});

test.each([
  [5, "a number"],
  ["text", "a string"],
  [null, "null"],
  [["text"], "an array"],
])("options are an object, not %j", (options, given) => {
  expect(() => checkOptions(options, "open", { text: true })).toThrow(
    `takes its options as an object, not as ${given}`,
  );
});

test("names of Object.prototype are no options", () => {
  expect(() => checkOptions({ constructor: 1 }, "open", { text: true })).toThrow("open has no option constructor");
});

test("an option that is undefined is not given, whatever its name", () => {
  expect(() => checkOptions({ Text: undefined, text: true }, "open", { text: true })).not.toThrow();
  expect(() => checkOptions({ Text: null }, "open", { text: true })).toThrow("open has no option Text");
});
