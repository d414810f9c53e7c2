/** Matrices as text, by hand after the Matrix Market format and the names of Cell Ranger's files, and tables as text: what is said of them. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { open as openInPage, UnsupportedError } from "../../../packages/published/src/index.js";
import { open } from "../../../packages/published/src/node.js";
import { detectTableText } from "../../../src/containers/open/text-files.js";
import { cleanups } from "../../cleanups.js";

const MATRIX = "%%MatrixMarket matrix coordinate integer general\n2 1 1\n1 1 5\n";

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(mkdtempSync(join(tmpdir(), "annarrow-mtx-")), "filtered_feature_bc_matrix");
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  cleanups.test.add(() => rmSync(join(folder, ".."), { recursive: true }));
  return folder;
}

async function refused(path: string, message: RegExp): Promise<void> {
  const opening = open(path);
  await expect(opening).rejects.toThrow(UnsupportedError);
  await expect(opening).rejects.toThrow(message);
}

test.each([
  ["Cell Ranger 3", ["matrix.mtx.gz", "barcodes.tsv.gz", "features.tsv.gz"]],
  ["Cell Ranger 2", ["matrix.mtx", "barcodes.tsv", "genes.tsv"]],
  ["GEO", ["GSM1_matrix.mtx.gz", "GSM1_barcodes.tsv.gz", "GSM1_features.tsv.gz"]],
])("a folder of %s says what it is, and what reads it", async (_, names) => {
  const folder = folderOf(Object.fromEntries(names.map((name) => [name, gzipSync(MATRIX)])));
  await refused(folder, /filtered_feature_bc_matrix: a folder with a matrix as text .*\.h5.*read_10x_mtx.*Read10X/);
  for (const name of names) await refused(folder, new RegExp(name.replaceAll(".", "\\.")));
});

test("a file says what it is, by its first line or its name", async () => {
  const folder = folderOf({ "counts.txt": MATRIX, "matrix.mtx.gz": gzipSync(MATRIX), "other.gz": gzipSync(MATRIX) });
  await refused(join(folder, "counts.txt"), /counts\.txt: a matrix as text \(Matrix Market\)/);
  await refused(join(folder, "matrix.mtx.gz"), /matrix\.mtx\.gz: a matrix as text/);
  await refused(join(folder, "other.gz"), /neither HDF5/);
});

test.each(["counts.csv", "cells.TSV", "cells.txt.gz"])("%s is a table as text", (name) => {
  expect(detectTableText({ name })).toMatch(/^a table as text, which is not read: save it as Parquet/);
});

test("other names say what is read", async () => {
  expect(detectTableText({ name: "counts.h5ad" })).toBeNull();
  const file = new File(["cell,n\na,1\n"], "cells.csv");
  await expect(openInPage(file)).rejects.toThrow("cells.csv: a table as text, which is not read");
  await expect(openInPage(new File(["cell,n\na,1\n"], "cells"))).rejects.toThrow("neither HDF5, nor Zarr");
});
