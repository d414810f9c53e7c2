/** Tables under names that no element has: refused, unless a file had them so. */

import { tableFromArrays } from "apache-arrow";
import { expect, test } from "vitest";
import { writeBytes } from "../../../packages/published/src/index.js";
import { convert, write } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";
import { BASE } from "./samples.js";

const genes = tableFromArrays({ _index: ["g0", "g1", "g2", "g3"] });

test.each([
  [
    "h5ad",
    "vars",
    "vars: no element of that name: did you mean var? There are X, raw/X, raw/var, obs, var, layers/NAME",
  ],
  ["h5ad", "layer/counts", "layer/counts: no element of that name: did you mean layers/counts?"],
  ["h5ad", "raw/vars", "raw/vars: no element of that name: did you mean raw/var?"],
  ["zarr.zip", "Obs", "Obs: no element of that name: did you mean obs?"],
] as const)("%s: %s", async (format, name, message) => {
  const tables = { ...BASE, [name]: genes };
  await expect(writeBytes(format, tables, { shape: [3, 4] })).rejects.toThrow(message);
});

test("of a MuData and its modalities, and of Loom", async () => {
  const modality = Object.fromEntries(Object.entries(BASE).map(([name, table]) => [`mod/rna/${name}`, table]));
  await expect(writeBytes("h5mu", { ...modality, "obsmm/pca": genes })).rejects.toThrow(
    "obsmm/pca: no element of that name: did you mean obsm/pca?",
  );
  await expect(writeBytes("h5mu", { ...modality, "mod/rna/vars": genes })).rejects.toThrow(
    "mod/rna/vars: no element of that name: did you mean var?",
  );
  await expect(writeBytes("loom", { matrix: BASE.X, row_attr: genes }, { shape: [3, 4] })).rejects.toThrow(
    "row_attr: no element of that name: did you mean row_attrs?",
  );
});

test("the name of a file of one table is none of a dataset", async () => {
  const path = place("parquet").replace(/[^/]*$/, "vars.parquet");
  await convert(await stored(), path, { tables: ["var"] });
  const vars = (await open(path)).table("vars");
  await expect(writeBytes("h5ad", { ...BASE, vars })).rejects.toThrow("did you mean var?");
});

async function stored(): Promise<string> {
  const path = place("h5ad");
  await write(path, BASE);
  return path;
}
