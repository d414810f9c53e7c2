import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkPositions, WRAP } from "../../../src/kernels/bp128/chunk-positions.js";
import { Bp128Packer, type PackedBatch } from "../../../src/kernels/bp128/packer.js";
import { type Bp128Kind, PAGE_VALUES } from "../../../src/kernels/bp128/page.js";
import { createBp128Pages } from "../../../src/kernels/bp128/pages.js";
import { chunkValues, KINDS } from "./chunk-values.js";
import { packArray } from "./pack-array.js";

const [page] = await createBp128Pages(1);

/** All that is to be appended, when the values come in parts. */
function packed(kind: Bp128Kind, parts: readonly Uint32Array[], position = 0) {
  const packer = new Bp128Packer(page, kind, position);
  const data: number[] = [];
  const idx: number[] = [];
  const starts: number[] = [];
  const append = (piece: PackedBatch) => {
    for (const word of piece.data) data.push(word);
    for (const entry of piece.idx) idx.push(entry);
    for (const start of piece.starts) starts.push(start);
  };
  for (const part of parts) for (const piece of packer.push(part)) append(piece);
  append(packer.finish());
  return { data, idx, starts, offsets: Array.from(packer.offsets(), Number) };
}

function inParts(values: Uint32Array, cuts: readonly number[]): Uint32Array[] {
  const borders = [0, ...cuts.map((cut) => Math.min(cut, values.length)).sort((a, b) => a - b), values.length];
  return borders.slice(1).map((border, i) => values.subarray(borders[i], border));
}

test("the parts in which values come make no difference", () => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), chunkValues(512), fc.array(fc.nat(512)), (kind, values, cuts) => {
      const whole = packArray(page, kind, values);
      const { data, idx, starts, offsets } = packed(kind, inParts(values, cuts));
      expect(data).toEqual(Array.from(whole.data));
      expect(idx).toEqual(Array.from(whole.idx));
      expect(starts).toEqual(Array.from(whole.starts));
      expect(offsets).toEqual(Array.from(whole.offsets, Number));
    }),
  );
});

test("nor do they around full pages", () => {
  for (const length of [PAGE_VALUES - 1, PAGE_VALUES, PAGE_VALUES + 1, 2 * PAGE_VALUES]) {
    const values = Uint32Array.from({ length }, (_, i) => (i * 7919) % 1000);
    const all = packed("d1z", [values]);
    expect(all.idx.length).toBe(Math.ceil(length / 128) + 1);
    expect(all.starts).toEqual(Array.from(values.filter((_, i) => i % 128 === 0)));
    expect(packed("d1z", inParts(values, [1, 1000, PAGE_VALUES - 1, PAGE_VALUES]))).toEqual(all);
  }
});

test("no values have one position and no chunk", () => {
  expect(packed("d1", [])).toEqual({ data: [], idx: [0], starts: [], offsets: [0, 1] });
  expect(packed("m1", [new Uint32Array(0)])).toEqual({ data: [], idx: [0], starts: [], offsets: [0, 1] });
});

test("an array of which a part is there already goes on, past 2^32 words and more", () => {
  const values = Uint32Array.from({ length: PAGE_VALUES + 5000 }, (_, i) => Math.imul(i, i * 40503) >>> (i % 32));
  const all = packed("d1z", [values]);
  const size = all.data.length;
  expect(size).toBeGreaterThan(PAGE_VALUES / 2);
  for (const position of [
    4,
    WRAP - 4,
    WRAP - 400,
    WRAP - size,
    WRAP - size + 4,
    WRAP,
    2 * WRAP - 1000,
    3 * WRAP - 128,
  ]) {
    const late = packed("d1z", [values], position);
    expect(late.data).toEqual(all.data);
    expect(late.idx).toEqual(all.idx.map((entry) => (entry + position) % WRAP));
    const positions = new ChunkPositions(all.idx.length - 1, late.offsets, position + size);
    positions.check(positions.entriesToCheck.map((entry) => late.idx[entry]));
    for (let chunk = 0; chunk + 1 < all.idx.length; chunk++) {
      const { from, to } = positions.words(chunk, Uint32Array.from(late.idx.slice(chunk, chunk + 2)));
      expect([from, to]).toEqual([position + all.idx[chunk], position + all.idx[chunk + 1]]);
    }
  }
});
