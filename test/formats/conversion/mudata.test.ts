/** A MuData is many datasets: what is converted is one of them, by its path. */

import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { convert } from "../../../packages/published/src/node.js";
import { tablesOf } from "../../readers/anndata/expected.js";
import { expectedOf, FIXTURES } from "../../readers/mudata/fixtures.js";
import { open, place } from "./opened.js";

const file = `${FIXTURES}/axis0.h5mu`;

test.each(["h5ad", "loom", "bpcells"])(
  "a MuData is no .%s; the error names the modalities, and how one is",
  async (to) => {
    const output = place(to);
    const converted = convert(file, output);
    await expect(converted).rejects.toMatchObject({ tag: "InvalidInputError" });
    await expect(converted).rejects.toThrow(/2 modalities \(rna, prot\), .*--modality rna/);
    expect(existsSync(output)).toBe(false);
  },
);

test("with one modality too", async () => {
  const converted = convert(file, place("h5ad"), { tables: ["mod/prot/X", "mod/prot/obs"] });
  await expect(converted).rejects.toThrow(/1 modality \(prot\), .*--modality prot/);
});

test.each(["h5ad", "zarr"])("a modality is converted by its path to .%s", async (to) => {
  const output = place(to);
  await convert(file, output, { path: "mod/prot" });
  const data = await open(output);
  expect(data.format).toBe("anndata");
  const own = Object.entries(expectedOf("axis0")).filter(([name]) => name.startsWith("mod/prot/"));
  expect(await tablesOf(data)).toEqual(
    Object.fromEntries(own.map(([name, one]) => [name.slice("mod/prot/".length), one])),
  );
});

test("an AnnData is no MuData: nothing says what its modality is called", async () => {
  const converted = convert("test/fixtures/data/anndata/plain.h5ad", place("h5mu"));
  await expect(converted).rejects.toMatchObject({ tag: "InvalidInputError" });
  await expect(converted).rejects.toThrow(/mod\/<name>\/X/);
});
