import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBlockCache } from "../../../../src/io/sources/http/remote-file.js";
import { createBytesSource } from "../../../../src/io/sources/memory.js";
import type { ByteSource, ReadOptions } from "../../../../src/io/sources/source.js";

const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) % 251);

interface Slow extends ByteSource {
  /** Each `[start, end)` that was read. */
  readonly reads: [number, number][];
  readonly signals: (AbortSignal | undefined)[];
}

/** A source that answers a little later, unless it is told to fail. */
function slow(fails: () => boolean = () => false): Slow {
  const source = createBytesSource(bytes, "slow");
  const reads: [number, number][] = [];
  const signals: (AbortSignal | undefined)[] = [];
  return {
    ...source,
    reads,
    signals,
    async read(start: number, end: number, options?: ReadOptions) {
      reads.push([start, end]);
      signals.push(options?.signal);
      await new Promise((resolve) => setTimeout(resolve, 5));
      options?.signal?.throwIfAborted();
      if (fails()) throw new Error("broken");
      return await source.read(start, end);
    },
  };
}

describe("blockCache", () => {
  it("gives the source's bytes, whatever is read at once and however little is kept", async () => {
    const range = fc
      .tuple(fc.nat(1000), fc.nat(1000))
      .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(range, { maxLength: 5 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(1000),
        async (rounds, blockBytes, keptBytes, head) => {
          const cache = createBlockCache(createBytesSource(bytes), {
            blockBytes,
            keptBytes,
            head: bytes.subarray(0, head),
          });
          for (const ranges of rounds) {
            const found = await Promise.all(ranges.map(([start, end]) => cache.read(start, end)));
            expect(found).toEqual(ranges.map(([start, end]) => bytes.slice(start, end)));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("reads whole blocks, neighbours at once, and none twice", async () => {
    const source = slow();
    const cache = createBlockCache(source, { blockBytes: 100 });
    await cache.read(110, 120);
    await cache.read(150, 199);
    await cache.read(20, 380);
    await cache.read(990, 1000);
    await cache.read(5, 5);
    expect(source.reads).toEqual([
      [100, 200],
      [0, 100],
      [200, 400],
      [900, 1000],
    ]);
  });

  it("does not ask for what is on its way", async () => {
    const source = slow();
    const cache = createBlockCache(source, { blockBytes: 100 });
    await Promise.all([cache.read(10, 20), cache.read(30, 40), cache.read(90, 210), cache.read(150, 250)]);
    await Promise.all([cache.read(510, 520), cache.read(310, 620)]);
    expect(source.reads).toEqual([
      [0, 100],
      [100, 300],
      [500, 600],
      [300, 500],
      [600, 700],
    ]);
  });

  it("knows the beginning that it is given", async () => {
    const source = slow();
    const cache = createBlockCache(source, { blockBytes: 100, head: bytes.subarray(0, 250) });
    await cache.read(0, 200);
    expect(source.reads).toEqual([]);
    await cache.read(190, 210);
    expect(source.reads).toEqual([[200, 300]]);
  });

  it("keeps the blocks that were used last", async () => {
    const source = slow();
    const cache = createBlockCache(source, { blockBytes: 100, keptBytes: 250 });
    for (const block of [0, 1, 0, 2, 0, 1]) await cache.read(100 * block, 100 * block + 1);
    expect(source.reads.map(([start]) => start)).toEqual([0, 100, 200, 100]);
  });

  it("fetches a large range as it is", async () => {
    const source = slow();
    const cache = createBlockCache(source, { blockBytes: 100 });
    expect(await cache.read(50, 451)).toEqual(bytes.slice(50, 451));
    expect(source.reads).toEqual([[50, 451]]);
  });

  it("gives copies: a small part keeps no block in memory", async () => {
    const cache = createBlockCache(createBytesSource(bytes), { blockBytes: 100 });
    const part = await cache.read(110, 120);
    expect(part.buffer.byteLength).toBe(10);
    part.fill(0);
    expect(await cache.read(110, 120)).toEqual(bytes.slice(110, 120));
  });

  it("goes on for others where one is cancelled, and stops when all are", async () => {
    const source = slow();
    const cache = createBlockCache(source, { blockBytes: 100 });
    const [one, two] = [new AbortController(), new AbortController()];
    const reads = [one, two].map(({ signal }) => cache.read(10, 20, { signal }));
    one.abort(new Error("one"));
    await expect(reads[0]).rejects.toThrow("one");
    expect(await reads[1]).toEqual(bytes.slice(10, 20));
    expect(source.reads).toHaveLength(1);

    const all = [one, two].map(() => new AbortController());
    const stopped = all.map(({ signal }) => cache.read(310, 320, { signal }));
    for (const controller of all) controller.abort(new Error("all"));
    for (const read of stopped) await expect(read).rejects.toThrow("all");
    expect(source.signals.at(-1)?.aborted).toBe(true);
    // Who comes next begins anew.
    expect(await cache.read(310, 320)).toEqual(bytes.slice(310, 320));
    await expect(cache.read(310, 320, { signal: one.signal })).rejects.toThrow("one");
  });

  it("does not keep failures", async () => {
    let broken = true;
    const source = slow(() => broken);
    const cache = createBlockCache(source, { blockBytes: 100 });
    await expect(Promise.all([cache.read(0, 10), cache.read(20, 30)])).rejects.toThrow("broken");
    broken = false;
    expect(await cache.read(0, 10)).toEqual(bytes.slice(0, 10));
    expect(source.reads).toHaveLength(2);
  });

  it("refuses ranges outside of the source", async () => {
    const source = slow();
    await expect(createBlockCache(source).read(990, 1001)).rejects.toMatchObject({ tag: "InvalidDataError" });
    await expect(createBlockCache(source).read(10, 5)).rejects.toMatchObject({ tag: "InvalidDataError" });
    expect(source.reads).toEqual([]);
  });
});
