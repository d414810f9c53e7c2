import { expect, test } from "vitest";
import { ReleasedMemory } from "../../../src/jobs/memory/buffer-pool.js";

test("gives each later job the memory of one result", () => {
  const returned = new ReleasedMemory();
  expect(returned.take()).toEqual([]);
  const [first, second] = [[new ArrayBuffer(8), new ArrayBuffer(4)], [new ArrayBuffer(16)]];
  returned.giveBack(first);
  returned.giveBack(second);
  const taken = [returned.take(), returned.take()];
  expect(new Set(taken)).toEqual(new Set([first, second]));
  expect(returned.take()).toEqual([]);
});

test("leaves out memory that was moved elsewhere", () => {
  const returned = new ReleasedMemory();
  const [left, moved] = [new ArrayBuffer(8), new ArrayBuffer(8)];
  structuredClone(moved, { transfer: [moved] });
  returned.giveBack([moved]);
  expect(returned.take()).toEqual([]);
  returned.giveBack([left, moved]);
  expect(returned.take()).toEqual([left]);
});

test("keeps no more memory than a few results have", () => {
  const returned = new ReleasedMemory();
  for (let i = 0; i < 100; i++) returned.giveBack([new ArrayBuffer(8)]);
  let results = 0;
  while (returned.take().length > 0) results++;
  expect(results).toBeGreaterThan(0);
  expect(results).toBeLessThan(20);
});
