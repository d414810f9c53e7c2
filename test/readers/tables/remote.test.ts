/** A directory of tables, and one file, behind a web server. */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { open as openEverywhere } from "../../../packages/published/src/index.js";
import { open } from "../../../packages/published/src/node.js";
import { convertTo } from "../../../src/api/convert.node.js";
import { listFiles } from "../../architecture/import-graph.js";
import { fileServer, serveFile } from "../../io/sources/file-server.js";
import { plainTable } from "./plain-table.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-remote-"));
afterAll(() => rmSync(folder, { recursive: true }));

const original = await open("test/fixtures/data/anndata/plain.h5ad");
const place = join(folder, "plain");
await convertTo(original, place, { format: "parquet" });
const files = new Map(
  listFiles(place, /./)
    .filter((file) => statSync(join(place, file)).isFile())
    .map((file) => [`/plain/${file}`, new Uint8Array(readFileSync(join(place, file)))]),
);
afterAll(() => original.close());

const served = () =>
  fileServer((request, response) => {
    const file = files.get(decodeURIComponent(new URL(request.url ?? "", "http://host").pathname));
    if (file === undefined) response.writeHead(404).end();
    else serveFile(file, request, response);
  });

test.each(["plain/", "plain"])("the directory %s", async (path) => {
  const { origin } = await served();
  const data = await openEverywhere(`${origin}/${path}`);
  expect([...data.tables.keys()]).toEqual([...original.tables.keys()]);
  expect(plainTable(await data.table("obs").read())).toEqual(plainTable(await original.table("obs").read()));
});

test("one file", async () => {
  const { origin } = await served();
  const data = await openEverywhere(`${origin}/plain/obs.parquet`);
  expect([...data.tables.keys()]).toEqual(["obs"]);
  const [table] = data.tables.values();
  expect((await table.read()).numRows).toBe(original.table("obs").rows);
});

test("nothing", async () => {
  const { origin } = await served();
  await expect(openEverywhere(`${origin}/nothing/`)).rejects.toMatchObject({ tag: "NotFoundError" });
});
