/** Blocks of rows: what is asked, cancelled, kept and forgotten. */

import { expect, test } from "vitest";
import { type BlockRequest, RowBlocks } from "../../page/src/table/row-blocks.js";

interface Asked extends BlockRequest {
  readonly signal: AbortSignal;
  answer(block: string): void;
  fail(error: Error): void;
}

function blocksOf({ rows = 1000, size = 100, groups = 1, keep = 100, atOnce = 10 } = {}) {
  const asked: Asked[] = [];
  let changes = 0;
  const blocks = new RowBlocks<string>({
    ...{ rows, size, groups, keep, atOnce },
    read: (request, signal) =>
      new Promise((answer, fail) => {
        asked.push({ ...request, signal, answer, fail });
      }),
    changed: () => {
      changes++;
    },
  });
  return { blocks, asked, changes: () => changes };
}

/** Promises that are answered tell their readers before this one. */
const settled = () => new Promise((resolve) => setTimeout(resolve));
const ranges = (asked: readonly Asked[]) => asked.map(({ start, end }) => [start, end]);

test("the rows in sight come first, and then those beside them", async () => {
  const { blocks, asked, changes } = blocksOf();
  blocks.see({ rows: [250, 420], groups: [0, 1] });
  expect(ranges(asked)).toEqual([
    [200, 300],
    [300, 400],
    [400, 500],
  ]);
  for (const one of asked) one.answer(`from ${one.start}`);
  await settled();
  expect(ranges(asked.slice(3))).toEqual([
    [500, 600],
    [100, 200],
  ]);
  expect(changes()).toBe(3);
  expect(blocks.at(317, 0)).toEqual({ block: "from 300", offset: 17 });
  expect(blocks.at(550, 0)).toBeNull();
});

test("the last block ends with the rows", () => {
  const { blocks, asked } = blocksOf({ rows: 950 });
  blocks.see({ rows: [940, 950], groups: [0, 1] });
  expect(ranges(asked)).toEqual([[900, 950]]);
});

test("requests out of sight are cancelled, others go on", () => {
  const { blocks, asked } = blocksOf();
  blocks.see({ rows: [0, 150], groups: [0, 1] });
  blocks.see({ rows: [100, 250], groups: [0, 1] });
  expect(ranges(asked)).toEqual([
    [0, 100],
    [100, 200],
    [200, 300],
  ]);
  // The first block is now beside what is in sight.
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
  blocks.see({ rows: [800, 850], groups: [0, 1] });
  expect(asked.slice(0, 3).map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
});

test("an answer that comes after it was cancelled changes nothing", async () => {
  const { blocks, asked, changes } = blocksOf();
  blocks.see({ rows: [0, 50], groups: [0, 1] });
  blocks.see({ rows: [800, 850], groups: [0, 1] });
  asked[0].answer("late");
  await settled();
  expect(blocks.at(10, 0)).toBeNull();
  expect(changes()).toBe(0);
});

test("only so many blocks are kept, those that were used last", async () => {
  const { blocks, asked } = blocksOf({ keep: 4 });
  for (const start of [0, 500, 900]) {
    blocks.see({ rows: [start, start + 50], groups: [0, 1] });
    for (let done = 0; done < asked.length; done++) {
      asked[done].answer(String(asked[done].start));
      await settled();
    }
  }
  expect(blocks.count).toBe(4);
  expect(blocks.at(910, 0)?.block).toBe("900");
  expect(blocks.at(10, 0)).toBeNull();
});

test("columns are asked for in groups", async () => {
  const { blocks, asked } = blocksOf({ groups: 5 });
  blocks.see({ rows: [0, 50], groups: [2, 4] });
  expect(asked.map(({ start, group }) => [start, group])).toEqual([
    [0, 2],
    [0, 3],
  ]);
  asked[1].answer("group 3");
  await settled();
  expect(blocks.at(20, 3)).toEqual({ block: "group 3", offset: 20 });
  expect(blocks.at(20, 2)).toBeNull();
});

test("no more requests run than allowed", async () => {
  const { blocks, asked } = blocksOf({ atOnce: 2 });
  blocks.see({ rows: [0, 500], groups: [0, 1] });
  expect(asked.length).toBe(2);
  asked[0].answer("first");
  await settled();
  expect(ranges(asked)).toEqual([
    [0, 100],
    [100, 200],
    [200, 300],
  ]);
});

test("what failed is told, and asked for again when the reader wants it", async () => {
  const { blocks, asked, changes } = blocksOf();
  blocks.see({ rows: [0, 50], groups: [0, 1] });
  const error = new Error("the disk is gone");
  asked[0].fail(error);
  await settled();
  expect(blocks.failure()).toBe(error);
  expect(changes()).toBe(1);
  blocks.retry();
  expect(blocks.failure()).toBeNull();
  expect(ranges(asked).at(-1)).toEqual([0, 100]);
});

test("closing cancels all", () => {
  const { blocks, asked } = blocksOf();
  blocks.see({ rows: [0, 250], groups: [0, 1] });
  blocks.close();
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
});
