/** The options of Loom on the command line. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { folder, open } from "../../../test/formats/conversion/opened.js";

const LOOM = "test/fixtures/data/loom/loompy.loom";
const COUNTS = "test/fixtures/data/annotated/counts.h5ad";

beforeAll(ensureBuilt, 120_000);

function run(...args: string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ["dist/cli/main.js", ...args], (_, __, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    );
  });
}

test("the version, and what names are called, there and back", async () => {
  const [loom, anndata] = [join(folder(), "out.loom"), join(folder(), "out.h5ad")];
  const names = ["--obs-attr", "Barcode", "--var-attr", "Accession"];
  const there = await run("convert", COUNTS, loom, "--table", "X", "--loom-version", "2.0.1", ...names);
  expect(there).toMatchObject({ code: 0 });
  const data = await open(loom);
  expect(data.version).toBe("2.0.1");
  expect(data.table("row_attrs").schema.fields.map(({ name }) => name)).toEqual(["Accession"]);
  expect(await run("convert", loom, anndata, ...names)).toMatchObject({ code: 0 });
  const back = await open(anndata);
  expect(back.table("obs").metadata).toMatchObject({ kind: "dataframe", index: "Barcode" });
});

describe("refused", () => {
  test.each<[string[], number, RegExp]>([
    [[LOOM, "x.h5ad", "--loom-version", "2.0.1"], 1, /\.h5ad has no choice of a version of the specification/],
    [[COUNTS, "x.loom", "--loom-version", "1.0"], 2, /Allowed choices are 3\.0\.0, 2\.0\.1/],
    [[COUNTS, "x.zarr", "--obs-attr", "a"], 1, /no Loom is read or written/],
    [[LOOM, "x/", "--to", "parquet", "--var-attr", "a"], 1, /files of tables keep the names of columns/],
    [[LOOM, "x.h5ad", "--var-attr", "none"], 1, /row_attrs: no attribute "none"; there are Gene, Valid/],
  ])("%j", async (args, code, message) => {
    const found = await run("convert", ...args);
    expect(found.stderr).toMatch(message);
    expect(found.code).toBe(code);
  });
});
