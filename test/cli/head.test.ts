/** Which table `annarrow head` shows where none is named. */

import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../build.js";
import { annarrow } from "./command.js";

beforeAll(ensureBuilt, 120_000);

test.each([
  ["the cells of an AnnData", "examples/pbmc.h5ad", /^_index +cell_type/],
  ["the cells of a Loom file", "test/fixtures/data/loom/loompy.loom", /^CellID /],
  ["the first table of another file", "test/fixtures/data/loom/matrix-only.loom", /^value/],
])("%s", async (_, file, header) => {
  const { code, stdout, stderr } = await annarrow("head", file, "--rows", "1");
  expect(stdout, stderr).toMatch(header);
  expect(code).toBe(0);
});
