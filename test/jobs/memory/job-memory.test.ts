import { expect, test } from "vitest";
import { JobMemory } from "../../../src/jobs/memory/buffer-pool.js";

const MIB = 2 ** 20;

test("memory is used again after a release, and by nobody before", () => {
  const scratch = new JobMemory();
  const [a, b] = [scratch.take(MIB), scratch.take(MIB)];
  expect(b.buffer).not.toBe(a.buffer);
  scratch.release();
  // A few bytes more fit, too.
  const again = [scratch.take(MIB + 1000), scratch.take(MIB - 1000)];
  expect(again.map(({ length }) => length)).toEqual([MIB + 1000, MIB - 1000]);
  expect(new Set(again.map(({ buffer }) => buffer))).toEqual(new Set([a.buffer, b.buffer]));
});

test("what is far too large, or was not needed by the last job, is given up", () => {
  const scratch = new JobMemory();
  const large = scratch.take(8 * MIB).buffer;
  scratch.release();
  expect(scratch.take(MIB).buffer).not.toBe(large);
  scratch.release();
  expect(scratch.take(8 * MIB).buffer).not.toBe(large);
});

test("what was moved away is not used, and what came back is", () => {
  const scratch = new JobMemory();
  const [moved, stays] = [scratch.take(MIB), scratch.take(MIB)];
  expect([moved.buffer, stays.buffer, new ArrayBuffer(8)].map((buffer) => scratch.holds(buffer))).toEqual([
    true,
    true,
    false,
  ]);
  scratch.release(new Set([moved.buffer]));
  expect(scratch.holds(stays.buffer)).toBe(false);
  const elsewhere = structuredClone(moved.buffer, { transfer: [moved.buffer] });
  expect(scratch.take(MIB).buffer).toBe(stays.buffer);
  expect(scratch.take(MIB).length).toBe(MIB);
  scratch.release();
  scratch.take(MIB);
  scratch.take(MIB);
  scratch.giveBack([elsewhere]);
  const back = scratch.take(MIB);
  expect(back.buffer).toBe(elsewhere);
  expect(back.length).toBe(MIB);
});

test("memory that was dropped is never taken again", () => {
  const memory = new JobMemory();
  const failed = memory.take(2 ** 20);
  memory.drop();
  const next = memory.take(2 ** 20);
  memory.release();
  expect(memory.take(2 ** 20).buffer).toBe(next.buffer);
  expect(next.buffer).not.toBe(failed.buffer);
});
