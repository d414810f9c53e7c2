/** The storage order of sparse matrices. */

import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../packages/published/src/index.js";
import { convert } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";
import { contentsOf } from "./part-contents.js";

const COUNTS = "test/fixtures/data/annotated/counts.h5ad";

describe("a matrix in another order", () => {
  test.each(["h5ad", "zarr"])("has its entries, in %s", async (extension) => {
    const whole = await open(COUNTS);
    const byGenes = place(extension);
    await convert(COUNTS, byGenes, { order: "csc" });
    const data = await open(byGenes);
    expect([whole.table("X").metadata.kind, data.table("X").metadata.kind]).toEqual(["csr_matrix", "csc_matrix"]);
    const { rows } = (await contentsOf(data)).X;
    expect(rows).toEqual((await contentsOf(whole)).X.rows);
    const back = place("h5ad");
    await convert(byGenes, back, { order: "csr" });
    expect((await contentsOf(await open(back))).X).toEqual((await contentsOf(whole)).X);
  });

  test("is no choice of other formats", async () => {
    await expect(convert(COUNTS, place("loom"), { order: "csc" } as object)).rejects.toThrow(InvalidInputError);
    await expect(convert(COUNTS, place("h5ad"), { order: "row" } as object)).rejects.toThrow(
      '.h5ad has no order "row"',
    );
  });
});
