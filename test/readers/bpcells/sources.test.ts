/** The same store from other places than a folder. */

import { expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { fileServer, serveFile } from "../../io/sources/file-server.js";
import { zip } from "../../io/sources/zip-writer.js";
import { expectedOf, filesOf } from "./stores.js";

test("below a URL, where nothing can be listed", async () => {
  const files = filesOf("packed");
  const server = await fileServer((request, response) => {
    const file = files.get((request.url ?? "").slice("/store/".length));
    if (file === undefined) response.writeHead(404).end();
    else serveFile(file, request, response);
  });
  const data = await open(`${server.origin}/store/`);
  expect(data).toMatchObject({ format: "bpcells", container: "directory", shape: [60, 45] });
  const table = await data.table("matrix").read();
  expect([...(table.getChild("value") ?? [])]).toEqual(expectedOf("packed").value);
  expect((await data.table("row_names").read()).numRows).toBe(60);
});

test("in a zip, below one folder", async () => {
  const parts = [...filesOf("packed")].map(([name, data]) => ({ name: `store/${name}`, data }));
  const data = await open(zip(parts));
  expect(data).toMatchObject({ format: "bpcells", container: "directory", shape: [60, 45] });
  const table = await data.table("matrix").read();
  expect([...(table.getChild("row") ?? [])]).toEqual(expectedOf("packed").row);
});
