import { describe, expect, test } from "vitest";
import type { Group } from "../../../src/containers/tree/container.js";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { expected, flat, openFixture, openPath, rowsOf } from "./fixture.js";

/** Types whose attributes make_hdf5.py writes in the form of their stored values. */
const PLAIN = new Set(["int", "float", "text", "bool"]);

/** What has no stored form here, such as sequences, fails with an error of the library. */
function unreadable(error: unknown): null {
  if (isAnnarrowError(error)) return null;
  throw error;
}

async function groupOf(name: string, path: string): Promise<Group> {
  const node = await openPath(await openFixture(name), path);
  if (node.kind !== "group") throw new Error(`${path} is no group`);
  return node;
}

describe.each([
  ["attributes", "values", 15],
  ["attributes", "many", 40],
  ["dense_attributes", "kinds", 15],
  ["dense_attributes", "many", 700],
  ["dense_attributes", "deleted", 26],
])("%s.h5: %s", (name, path, least) => {
  test("gives the values of its attributes as arrays, as h5py has them", async () => {
    const [, { attributes }] = expected(name).find(([one]) => one === path) ?? ["", { attributes: {} }];
    const opened = await (await groupOf(name, path)).openAttributes?.();
    let compared = 0;
    for (const [key, open] of opened ?? []) {
      const array = await open().catch(unreadable);
      if (array === null || array.shape === null || !PLAIN.has(array.type.kind)) continue;
      const values = flat(array.type, await array.read(0, rowsOf(array)));
      const wanted = [attributes[key]].flat(8).map((value) => (typeof value === "boolean" ? Number(value) : value));
      expect(values, key).toEqual(wanted);
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(least);
  });
});

test("they have the stored types and shapes", async () => {
  const opened = await (await groupOf("attributes", "values")).openAttributes?.();
  const open = opened?.get("bools");
  expect(await open?.()).toMatchObject({ kind: "array", type: { kind: "bool" }, path: "values/bools" });
  expect(opened?.has("no such attribute")).toBe(false);
});
