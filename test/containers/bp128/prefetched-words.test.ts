import fc from "fast-check";
import { expect, test } from "vitest";
import { PrefetchedWords } from "../../../src/containers/bp128/prefetched-words.js";
import type { StoredArray } from "../../../src/containers/tree/container.js";
import { viewAsBytes } from "../../../src/model/stored.js";
import { draws } from "../../draws.js";
import { memoryArray } from "../../stored-array.js";

const LENGTH = 3_000_000;
const words = Uint32Array.from({ length: LENGTH }, (_, i) => Math.imul(i, 2654435761));

interface Slow extends StoredArray {
  /** Words of every read. */
  readonly sizes: number[];
}

/** An array that is read into memory after a while, as from a file. */
function slowArray(): Slow {
  const array = memoryArray({ kind: "int", bits: 32, signed: false }, [LENGTH], { kind: "fixed", values: words });
  const sizes: number[] = [];
  return {
    ...array,
    sizes,
    async readInto(start, end, target, options) {
      sizes.push(end - start);
      await new Promise((resolve) => setImmediate(resolve));
      options?.signal?.throwIfAborted();
      target.set(viewAsBytes(words.subarray(start, end)));
    },
  };
}

const same = (a: Uint32Array, b: Uint32Array) => Buffer.compare(viewAsBytes(a), viewAsBytes(b)) === 0;

const jumps = fc.array(
  fc.record({
    // Mostly onward from the last range, sometimes anywhere.
    step: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -3000, max: 300_000 }) }, fc.nat(LENGTH)),
    size: fc.nat(65_536),
  }),
  { minLength: 1, maxLength: 30 },
);

test("any ranges are those of the array, read ahead or not", async () => {
  await fc.assert(
    fc.asyncProperty(jumps, fc.boolean(), fc.boolean(), async (list, readsInto, isGiven) => {
      const { readInto, ...array } = slowArray();
      const given = isGiven
        ? { halves: [new Uint32Array(131_072), new Uint32Array(131_072)], head: 65_536 }
        : undefined;
      const window = new PrefetchedWords(readsInto && readInto !== undefined ? { ...array, readInto } : array, given);
      let at = 0;
      for (const { step, size } of list) {
        at = Math.max(0, (at + step) % LENGTH);
        const end = Math.min(LENGTH, at + size);
        if (!window.holds(at, end)) await window.load(at, end, {});
        expect(same(window.words(at, end), words.subarray(at, end))).toBe(true);
        at = end;
      }
    }),
    draws(60),
  );
});

test("a single range costs little, one after the other is read in large pieces", async () => {
  const array = slowArray();
  const window = new PrefetchedWords(array);
  await window.load(500_000, 500_010, {});
  expect(array.sizes).toEqual([2 ** 14]);
  window.forget();
  for (let at = 0; at < LENGTH; at += 60_000) {
    if (!window.holds(at, at + 60_000)) await window.load(at, at + 60_000, {});
  }
  expect(array.sizes.length).toBeLessThan(18);
});

test("of words that are expected to an end, none behind it are read, and those before it in large pieces", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(LENGTH), fc.nat(LENGTH), fc.integer({ min: 1, max: 60_000 }), async (a, b, size) => {
      const [start, end] = [Math.min(a, b), Math.max(a, b)];
      const array = slowArray();
      const given = { halves: [new Uint32Array(262_144), new Uint32Array(262_144)], head: 65_536 };
      const window = new PrefetchedWords(array, given);
      window.expect(end);
      // Pieces of a few words are many: one assertion for each would take a minute.
      let wrong = 0;
      for (let at = start; at < end; at += size) {
        const stop = Math.min(end, at + size);
        if (!window.holds(at, stop)) await window.load(at, stop, {});
        if (!same(window.words(at, stop), words.subarray(at, stop))) wrong++;
      }
      await window.end();
      expect(wrong).toBe(0);
      expect(array.sizes.reduce((sum, length) => sum + length, 0)).toBe(end - start);
      expect(array.sizes.length).toBeLessThanOrEqual(Math.ceil((end - start) / 196_608) + 1);
    }),
    draws(60),
  );
});

test("what is asked for behind the expected end is there too", async () => {
  const window = new PrefetchedWords(slowArray());
  window.expect(1000);
  for (const [start, end] of [
    [0, 900],
    [900, 5000],
    [100_000, 100_001],
  ]) {
    if (!window.holds(start, end)) await window.load(start, end, {});
    expect(same(window.words(start, end), words.subarray(start, end))).toBe(true);
  }
});

test("memory that is given is read into, and no longer once the window has ended", async () => {
  const memory = new Uint32Array(4 * 65_536);
  const halves = [memory.subarray(0, 131_072), memory.subarray(131_072)];
  const window = new PrefetchedWords(slowArray(), { halves, head: 65_536 });
  for (let at = 0; at < 1_000_000; at += 50_000) {
    if (!window.holds(at, at + 50_000)) await window.load(at, at + 50_000, {});
    expect(window.words(at, at + 50_000).buffer).toBe(memory.buffer);
  }
  await window.end();
  memory.fill(7);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(memory.every((word) => word === 7)).toBe(true);
});

test("what was read ahead for another, who stopped, is read again", async () => {
  const window = new PrefetchedWords(slowArray());
  const stopped = new AbortController();
  let at = 0;
  const next = async (signal?: AbortSignal) => {
    if (!window.holds(at, at + 60_000)) await window.load(at, at + 60_000, signal === undefined ? {} : { signal });
    expect(same(window.words(at, at + 60_000), words.subarray(at, at + 60_000))).toBe(true);
    at += 60_000;
  };
  for (let i = 0; i < 8; i++) await next(stopped.signal);
  stopped.abort();
  for (let i = 0; i < 20; i++) await next();
});
