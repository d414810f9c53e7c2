/** Work on several items at once: none is lost, and neither is an error. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { processConcurrently } from "../../../src/kernels/values/for-each-at-once.js";

async function* slowly(items: readonly number[]): AsyncGenerator<number> {
  for (const item of items) {
    await sleep(20);
    yield item;
  }
}

test("every item is worked on, and no more than allowed at once", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await processConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++running);
    await sleep(2);
    running--;
    done.push(item);
  });
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test("an error while the next item is awaited is thrown, and nothing further is begun", async () => {
  const begun: number[] = [];
  const failing = processConcurrently(slowly([1, 2, 3]), 4, async (item) => {
    begun.push(item);
    await sleep(2);
    throw new Error(`item ${item}`);
  });
  await expect(failing).rejects.toThrow("item 1");
  expect(begun).toEqual([1]);
});

test("an error waits for what was begun", async () => {
  let ended = false;
  const failing = processConcurrently(["slow", "bad"], 4, async (item) => {
    await sleep(item === "slow" ? 30 : 1);
    if (item === "bad") throw new Error("bad");
    ended = true;
  });
  await expect(failing).rejects.toThrow("bad");
  expect(ended).toBe(true);
});

test("an error of the items themselves is thrown", async () => {
  async function* broken(): AsyncGenerator<number> {
    yield 1;
    throw new Error("no more");
  }
  await expect(processConcurrently(broken(), 2, async () => undefined)).rejects.toThrow("no more");
});
