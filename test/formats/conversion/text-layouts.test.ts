/** The errors of a matrix that a file of text cannot hold name the layouts that it can. */

import { expect, test } from "vitest";
import { convert } from "../../../packages/published/src/node.js";
import { place } from "./opened.js";

const PBMC = "examples/pbmc.h5ad";

test("lists in a line of text", async () => {
  await expect(convert(PBMC, place("csv"), { tables: ["obsm/X_umap"] })).rejects.toThrow(
    /a line of text cannot hold; write \.parquet or \.arrow, or choose another layout \(--layout columns or coordinate\)$/,
  );
});

test("a layout that no chosen table has", async () => {
  await expect(convert(PBMC, place("csv"), { tables: ["X"], layout: "columns" })).rejects.toThrow(
    'no table that is to be written has the layout "columns"; there is coordinate, list, dense',
  );
  await expect(convert(PBMC, place("csv"), { tables: ["obs"], layout: "columns" })).rejects.toThrow(/"columns"$/);
});
