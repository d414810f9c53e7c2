import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ConcurrencyLimit, mapConcurrently, waitForBoth } from "../../src/readers/concurrency.js";

/** Counts how many actions run at the same time. */
function counter() {
  const state = { now: 0, most: 0, begun: 0 };
  const run = async (milliseconds: number) => {
    state.begun++;
    state.most = Math.max(state.most, ++state.now);
    await sleep(milliseconds);
    state.now--;
  };
  return { state, run };
}

test("results stand in the order of the items, whichever comes first", async () => {
  const { state, run } = counter();
  const items = Array.from({ length: 50 }, (_, i) => i);
  const results = await mapConcurrently(items, async (item) => {
    await run((item * 7) % 11);
    return item * 2;
  });
  expect(results).toEqual(items.map((item) => item * 2));
  expect(state.most).toBe(16);
  expect(await mapConcurrently([], async () => 1)).toEqual([]);
});

test("the error is that of the first item that fails, and nothing runs after it", async () => {
  const { state, run } = counter();
  const items = Array.from({ length: 100 }, (_, i) => i);
  const failed = mapConcurrently(items, async (item) => {
    // The fourth fails late, the sixth at once.
    await run(item === 3 ? 20 : 1);
    if (item === 3 || item === 5) throw new Error(`item ${item}`);
  });
  await expect(failed).rejects.toThrow("item 3");
  expect(state.now).toBe(0);
  expect(state.begun).toBeLessThanOrEqual(32);
});

test("both are waited for, and the first one's error comes first", async () => {
  const { state, run } = counter();
  const fail = async (milliseconds: number, message: string) => {
    await run(milliseconds);
    throw new Error(message);
  };
  await expect(waitForBoth(fail(10, "first"), fail(1, "second"))).rejects.toThrow("first");
  await expect(waitForBoth(run(1), fail(5, "second"))).rejects.toThrow("second");
  expect(await waitForBoth(Promise.resolve(1), Promise.resolve("b"))).toEqual([1, "b"]);
  expect(state.now).toBe(0);
});

test("no more than sixteen have a turn, and a failure gives its turn back", async () => {
  const { state, run } = counter();
  const limit = new ConcurrencyLimit();
  const taken = Array.from({ length: 200 }, (_, i) =>
    limit.run(async () => {
      await run(1);
      if (i % 3 === 0) throw new Error("failed");
    }),
  );
  const settled = await Promise.allSettled(taken);
  expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(67);
  expect(state).toEqual({ now: 0, most: 16, begun: 200 });
  expect(await limit.run(async () => "again")).toBe("again");
});
