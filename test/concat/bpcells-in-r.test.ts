/** Parts and unions of BPCells stores have the bytes that BPCells in R writes (test/fixtures/bpcells/make_bpcells_parts.R). */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Selection } from "../../packages/published/src/index.js";
import { concat, write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";

const FIXTURES = "test/fixtures/data/bpcells-parts";

function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(`${folder}/${name}`).toString("hex")]));
}

const first = (count: number, of: string) => Array.from({ length: count }, (_, i) => `${of}${i + 1}`);

test.each<[store: string, result: string, selection: Selection]>([
  ["a", "a-positions", { var: [2, 0, 29], obs: [19, 1, 4, 5] }],
  ["a", "a-genes", { var: ["g9", "g2"] }],
  ["a-by-genes", "a-by-genes-positions", { var: [2, 0, 29], obs: [19, 1, 4, 5] }],
  ["fragments-a", "fragments-a-cells", { obs: ["a4", "a2"] }],
])("%s: %s", async (store, result, selection) => {
  const output = place("bpcells");
  await write(output, await (await open(`${FIXTURES}/${store}`)).select(selection));
  expect(filesOf(output)).toEqual(filesOf(`${FIXTURES}/${result}`));
});

test.each<["obs" | "var", readonly [string, string], string]>([
  ["obs", ["a", "b"], "cbind"],
  ["var", ["a", "c"], "rbind"],
])("along %s: %j", async (axis, stores, result) => {
  const all = await concat(
    stores.map((store) => `${FIXTURES}/${store}`),
    { axis },
  );
  const output = place("bpcells");
  await write(output, all);
  await all.close();
  expect(filesOf(output)).toEqual(filesOf(`${FIXTURES}/${result}`));
});

test("parts, put together and cut again", async () => {
  const [a, b] = await Promise.all(["a", "b"].map((store) => open(`${FIXTURES}/${store}`)));
  const parts = [
    await a.select({ obs: first(20, "a").toReversed().slice(0, 10) }),
    await b.select({ obs: first(9, "b").toReversed() }),
  ];
  const output = place("bpcells");
  const all = await concat(parts);
  await write(output, await all.select({ var: first(30, "g").toReversed() }));
  expect(filesOf(output)).toEqual(filesOf(`${FIXTURES}/cbind-of-parts`));
});
