/** Observations sorted by a column. */

import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { InvalidInputError, NotFoundError } from "../../packages/published/src/index.js";
import { convert, write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";
import { contentsOf } from "./part-contents.js";

const COUNTS = "test/fixtures/data/annotated/counts.h5ad";

describe("sorted observations", () => {
  test("are those of select, with every element along them", async () => {
    const data = await open(COUNTS);
    const counts = (await data.table("obs").read()).getChild("depth");
    if (counts === null) throw new Error("the fixture has depth");
    const values = Array.from(counts, Number);
    const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
    const expected = await contentsOf(await data.select({ obs: order }));
    const [converted, written] = [place("h5ad"), place("zarr")];
    await convert(COUNTS, converted, { sortObs: "depth" });
    await write(written, data, { sortObs: "depth" });
    expect(await contentsOf(await open(converted))).toEqual(expected);
    expect(await contentsOf(await open(written))).toEqual(expected);
  });

  test("by a column that is not there, and of named tables, are errors that leave nothing", async () => {
    const output = place("h5ad");
    await expect(convert(COUNTS, output, { sortObs: "dept" })).rejects.toThrow(NotFoundError);
    await expect(convert(COUNTS, output, { sortObs: "dept" })).rejects.toThrow("did you mean depth");
    const obs = await (await open(COUNTS)).table("obs").read();
    await expect(write(output, { obs }, { sortObs: "depth" })).rejects.toThrow(InvalidInputError);
    expect(existsSync(output)).toBe(false);
    expect(readdirSync(dirname(output)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});
