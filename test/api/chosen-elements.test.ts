/** Some elements of a dataset, named by themselves or by what holds them. */

import { expect, test } from "vitest";
import { type Dataset, slice, write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";

const PBMC = "examples/pbmc.h5ad";

const named = ({ tables }: Dataset) =>
  [...tables.values()].flatMap(({ name, derived }) => (derived ? [] : [name])).sort();

test("elements keeps some with everything below them, drop leaves some out", async () => {
  const data = await open(PBMC);
  const part = await data.select({ elements: ["X", "obs", "var", "uns"], drop: ["uns/neighbors", "uns/pca/params"] });
  const expected = named(data).filter((name) => /^(X|obs|var|uns\/.*)$/.test(name));
  expect(named(part)).toEqual(expected.filter((name) => !/^uns\/(neighbors|pca\/params)\//.test(name)));
  expect(part.shape).toEqual(data.shape);
  expect(() => part.table("layers/counts")).toThrow(/no table "layers\/counts"/);
});

test("a mapping goes with its elements, and is not written empty", async () => {
  const part = await (await open(PBMC)).select({ drop: ["uns/neighbors"], obs: slice(0, 10) });
  const listed = (await part.table("uns").read()).toArray().map(({ path }) => String(path));
  expect(listed).toContain("uns/pca/params");
  expect(listed.filter((path) => path.startsWith("uns/neighbors"))).toEqual([]);
  const output = place("h5ad");
  await write(output, part);
  const again = (await (await open(output)).table("uns").read()).toArray().map(({ path }) => String(path));
  expect(again.sort()).toEqual(listed.sort());
  expect((await open(output)).shape?.[0]).toBe(10);
});

test("cells are chosen by what is left out", async () => {
  const data = await open(PBMC);
  const [first] = (await data.obsNames()) ?? [];
  const part = await data.select({ obs: [first], elements: ["X"] });
  expect([named(part), part.shape?.[0]]).toEqual([["X"], 1]);
});

test("names that no element has, and nothing left, are errors", async () => {
  const data = await open(PBMC);
  await expect(data.select({ elements: ["layer"] })).rejects.toThrow(/no element "layer"; did you mean /);
  await expect(data.select({ drop: ["Y"] })).rejects.toMatchObject({ tag: "NotFoundError" });
  await expect(data.select({ elements: ["X"], drop: ["X"] })).rejects.toThrow(/leave no element/);
});
