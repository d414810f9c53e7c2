import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHUNK, hasStarts, PAGE_CHUNKS, PAGE_VALUES } from "../../../src/kernels/bp128/page.js";
import { createBp128Pages } from "../../../src/kernels/bp128/pages.js";
import { chunkValues, KINDS } from "./chunk-values.js";
import { packArray } from "./pack-array.js";
import { PackedArray } from "./packed-array.js";
import { packedByBpcells } from "./packed-by-bpcells.js";

const [page] = await createBp128Pages(1);
const examples = packedByBpcells();

describe("packed arrays", () => {
  test.each(examples)("$name of BPCells are read, and packed to the same words", ({ kind, values, parts }) => {
    const array = new PackedArray(kind, values.length, parts);
    const out = new Uint32Array(values.length);
    array.read(page, 0, values.length, out);
    expect(out).toEqual(values);

    const { offsets, ...packed } = packArray(page, kind, values);
    expect(packed.data).toEqual(parts.data);
    expect(packed.idx).toEqual(parts.idx);
    expect(packed.starts).toEqual(parts.starts ?? new Uint32Array(0));
    expect(offsets).toEqual(parts.offsets);
  });

  test("any range of values is read", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), chunkValues(4 * CHUNK), fc.nat(512), fc.nat(512), (kind, values, a, b) => {
        const array = new PackedArray(kind, values.length, packArray(page, kind, values));
        const from = Math.min(a, b, values.length);
        const to = Math.min(Math.max(a, b), values.length);
        const out = new Uint32Array(to - from + 5).fill(7);
        array.read(page, from, to, out, 2);
        expect(Array.from(out)).toEqual([7, 7, ...values.subarray(from, to), 7, 7, 7]);
      }),
    );
  });

  test.each(KINDS)("%s of several pages are packed and read", (kind) => {
    const values = Uint32Array.from({ length: 2 * PAGE_VALUES + 77 }, (_, i) => (i * (i % 13)) % 2 ** (i >> 13));
    const packed = packArray(page, kind, values);
    expect(packed.idx.length).toBe(2 * PAGE_CHUNKS + 2);
    expect(packed.starts.length).toBe(hasStarts(kind) ? 2 * PAGE_CHUNKS + 1 : 0);
    expect(packed.offsets).toEqual(BigUint64Array.of(0n, BigInt(2 * PAGE_CHUNKS + 2)));
    const array = new PackedArray(kind, values.length, packed);
    for (const [from, to] of [
      [0, values.length],
      [PAGE_VALUES - 1, PAGE_VALUES + 1],
      [5, values.length - 5],
      [2 * PAGE_VALUES, values.length],
      [9, 9],
    ]) {
      const out = new Uint32Array(to - from);
      array.read(page, from, to, out);
      expect(Buffer.compare(Buffer.from(out.buffer), Buffer.from(values.slice(from, to).buffer))).toBe(0);
    }
  });
});

describe("broken arrays", () => {
  const values = Uint32Array.from({ length: 300 }, (_, i) => i * 5 + 1);
  const good = packArray(page, "d1z", values);
  const idx = (...changes: [number, number][]) => {
    const changed = good.idx.slice();
    for (const [at, value] of changes) changed[at] = value;
    return changed;
  };
  const read = (parts: Partial<typeof good>, count = 300) => {
    const out = new Uint32Array(count);
    new PackedArray("d1z", count, { ...good, ...parts }).read(page, 0, count, out);
    return out;
  };

  test("are refused", () => {
    expect(read({})).toEqual(values);
    expect(Array.from(good.idx)).toEqual([0, 16, 32, 48]);
    expect(() => read({}, 385)).toThrow("idx has 4 entries, 385 values have 5");
    expect(() => read({}, 256)).toThrow("idx has 4 entries, 256 values have 3");
    expect(() => read({ starts: new Uint32Array(2) })).toThrow("starts has 2 entries, 300 values have 3");
    expect(() => new PackedArray("d1", 300, { ...good, starts: null })).toThrow("starts has no entries");
    expect(() => read({ data: good.data.subarray(1) })).toThrow("the last of 3 chunks ends at word 48, there are 47");
    expect(() => read({ idx: idx([0, 4]) })).toThrow("idx begins with 4 instead of 0");
    expect(() => read({ idx: idx([1, 18]) })).toThrow("chunk 0 has 18 words");
    expect(() => read({ idx: idx([1, 36]) })).toThrow("chunk 1 has 4294967292 words");
    expect(() => read({ idx: idx([2, 2 ** 32 - 4]) })).toThrow("chunk 1 has 4294967276 words");
    expect(() => read({ offsets: BigUint64Array.of(0n, 2n, 4n) })).toThrow("3 idx_offsets, 48 words have 2 to 2");
  });

  test("are refused at the chunk that is asked for", () => {
    const array = new PackedArray("d1z", 300, { ...good, idx: idx([2, 400]) });
    const out = new Uint32Array(128);
    array.read(page, 0, 128, out);
    expect(out).toEqual(values.subarray(0, 128));
    expect(() => array.read(page, 128, 256, out)).toThrow("chunks 1 to 2 reach from word 16 to word 400");
    expect(() => array.read(page, 256, 300, out)).toThrow("chunks 2 to 3 reach from word 400 to word 48");
  });

  test("ranges outside are refused", () => {
    const array = new PackedArray("d1z", 300, good);
    const out = new Uint32Array(10);
    expect(() => array.read(page, 0, 301, out)).toThrow("values 0 to 301 of an array of 300");
    expect(() => array.read(page, -1, 3, out)).toThrow("values -1 to 3");
    expect(() => array.read(page, 4, 3, out)).toThrow("values 4 to 3");
    expect(() => array.read(page, 0, 10, out, 1)).toThrow("10 values at 1 of 10");
  });
});
