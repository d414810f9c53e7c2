/** `concat` of modalities of MuData, whose files are made of AnnData. */

import { beforeAll, expect, test } from "vitest";
import { concat, InvalidInputError, NotFoundError } from "../../packages/published/src/index.js";
import { concat as concatPaths, convert } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";

const PBMC = "examples/pbmc.h5ad";
let multimodal: string;

beforeAll(async () => {
  multimodal = place("h5mu");
  await convert(PBMC, multimodal, { as: "rna" });
});

test("takes the modality of each MuData, and other datasets as they are", async () => {
  const [both, alone] = [await concatPaths([multimodal, PBMC], { modality: "rna" }), await concatPaths([PBMC, PBMC])];
  expect(both.format).toBe("anndata");
  expect(both.shape).toEqual(alone.shape);
  expect([...both.tables.keys()]).toEqual([...alone.tables.keys()]);
  expect(await both.obsNames()).toEqual(await alone.obsNames());
  await Promise.all([both.close(), alone.close()]);
});

test("takes modalities that select took", async () => {
  const data = await open(multimodal);
  const all = await concat([await data.select({ modality: "rna" }), await open(PBMC)], { label: "file" });
  expect(all.shape?.[0]).toBe(2 * 2700);
});

test("of a MuData without a modality is an error that names the modalities", async () => {
  await expect(concatPaths([PBMC, multimodal])).rejects.toMatchObject({
    tag: "InvalidInputError",
    source: multimodal,
    problem: "a MuData, of which concat takes one modality (rna): name it with modality (--modality)",
  });
});

test("of a modality that is not there is an error", async () => {
  await expect(concatPaths([multimodal], { modality: "atac" })).rejects.toThrow(NotFoundError);
  await expect(concatPaths([PBMC], { modality: "rna" })).rejects.toThrow(InvalidInputError);
});
