/** `await using` closes datasets and servers. */

import { expect, test } from "vitest";
import { open } from "../../packages/published/src/node.js";
import { closeAfterUse } from "../../src/model/disposal.js";

const PBMC = "examples/pbmc.h5ad";

test("a dataset is closed at the end of its block, a part closes nothing", async () => {
  const closed = await (async () => {
    await using data = await open(PBMC);
    {
      await using part = await data.select({ obs: [1, 2] });
      expect(part.shape?.[0]).toBe(2);
    }
    expect((await data.table("obs").read({ rows: [0, 1] })).numRows).toBe(1);
    return data;
  })();
  await expect(closed.table("obs").read()).rejects.toThrow(/file closed/);
});

test("also when the block ends with an error", async () => {
  const calls: string[] = [];
  const make = () => {
    const one = { close: async () => void calls.push("closed") };
    closeAfterUse(one);
    return one;
  };
  const failing = async () => {
    await using _ = make();
    throw new Error("in between");
  };
  await expect(failing()).rejects.toThrow("in between");
  expect(calls).toEqual(["closed"]);
  expect(Object.keys(make())).toEqual(["close"]);
});
