import { expect, test } from "vitest";
import type { Group } from "../../../../src/containers/tree/container.js";
import { NotFoundError } from "../../../../src/model/errors.js";
import { findStores, hasStore } from "../../../../src/readers/bpcells/stores/find-stores.js";

/** A tree of groups without an end, which counts how many of them are opened. */
function endless(opened: { count: number }, path = "", stores: readonly string[] = []): Group {
  return {
    kind: "group",
    path,
    id: path,
    attributes: new Map(stores.includes(path) ? [["version", "packed-uint-matrix-v2"]] : []),
    keys: async () => Array.from({ length: 10 }, (_, i) => `g${i}`),
    open: async (name) => {
      opened.count++;
      return endless(opened, path === "" ? name : `${path}/${name}`, stores);
    },
  };
}

test("a large file of other things is given up soon", async () => {
  const opened = { count: 0 };
  expect(await hasStore(endless(opened))).toBe(false);
  expect(opened.count).toBeLessThanOrEqual(4096);
  expect(await findStores(endless(opened))).toEqual([]);
});

test("what lies less deep is found first, whatever lies beside it", async () => {
  const opened = { count: 0 };
  expect(await hasStore(endless(opened, "", ["g9/g9"]))).toBe(true);
  expect(opened.count).toBeLessThan(200);
  await expect(findStores(endless(opened, "", ["g9/g9"]))).rejects.toMatchObject({
    tag: "UnsupportedError",
    message: expect.stringMatching(/by its path/),
  });
});

test("groups that cannot be opened are passed over, and stores come by their paths", async () => {
  const leaf = (path: string): Group => ({
    kind: "group",
    path,
    id: path,
    attributes: new Map([["version", "unpacked-fragments-v2"]]),
    keys: async () => [],
    open: () => Promise.reject(new NotFoundError("nothing")),
  });
  const root: Group = {
    ...leaf(""),
    attributes: new Map(),
    keys: async () => ["b", "broken", "a"],
    open: async (name) => {
      if (name === "broken") throw new NotFoundError("a link that leads nowhere");
      return leaf(name);
    },
  };
  expect((await findStores(root)).map(({ path }) => path)).toEqual(["a", "b"]);
});
