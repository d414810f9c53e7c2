import { expect, test } from "vitest";
import { tableText } from "../../../src/containers/open/table-text.js";
import { open } from "../../../src/index.js";

test.each(["counts.csv", "cells.TSV", "cells.txt.gz"])("%s is a table as text", (name) => {
  expect(tableText({ name })).toMatch(/^a table as text, which is not read: save it as Parquet/);
});

test("other names say what is read", async () => {
  expect(tableText({ name: "counts.h5ad" })).toBeNull();
  const file = new File(["cell,n\na,1\n"], "cells.csv");
  await expect(open(file)).rejects.toThrow("cells.csv: a table as text, which is not read");
  await expect(open(new File(["cell,n\na,1\n"], "cells"))).rejects.toThrow("neither HDF5, nor Zarr");
});
