/** Parts that the answer of a statement chooses. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { InvalidInputError, type Selection, sql } from "../../packages/published/src/index.js";
import { open } from "../formats/conversion/opened.js";

const PBMC = "examples/pbmc.h5ad";
const COUNTS = join("test/fixtures/data", "annotated/counts.h5ad");

test("cells and genes, in the order of its answer and with repeats", async () => {
  const data = await open(PBMC);
  const names = (await data.obsNames()) ?? [];
  const counts = Array.from((await data.table("obs").read()).getChild("n_counts") ?? [], Number);
  const best = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b).slice(0, 3);
  const part = await data.select({
    obs: sql`with b as (select row from obs order by n_counts desc, row limit 3)
      select row, 1 as copy from b union all select row, 2 from b order by copy desc, row`,
    var: sql`from X select col where row = ${0} order by value desc, col limit ${2}`,
  });
  const twice = [...best, ...best].map((_, i) => best.toSorted((a, b) => a - b)[i % 3]);
  expect(await part.obsNames()).toEqual(twice.map((row) => names[row]));
  const cell = Array.from(await data.cells(names[0]), Number);
  const top = [...cell.keys()].sort((a, b) => cell[b] - cell[a] || a - b).slice(0, 2);
  const genes = await data.varNames();
  expect(await part.varNames()).toEqual(top.map((gene) => genes?.[gene]));
});

test.each<[string, Selection, RegExp]>([
  ["a statement without positions", { obs: sql`select 1 as n` }, /column "row" .*, which has n/],
  ["a statement with a null", { obs: sql`select null::int as row` }, /has null, which is no/],
  ["a statement with text", { obs: sql`select 'a' as row` }, /holds Utf8/],
  [
    "a position outside",
    { var: sql`select 45 as col` },

    /var 45 was asked for, there are 0 … 44$/,
  ],
])("%s is an error that names it", async (_, selection, message) => {
  const found = (await open(COUNTS)).select(selection);
  await expect(found).rejects.toThrow(InvalidInputError);
  await expect(found).rejects.toThrow(message);
});
