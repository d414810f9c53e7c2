import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  computeSelectedOffsets,
  computeStoredPositions,
  createMinorMap,
  type MinorMap,
  selectMappedEntries,
} from "../../../src/kernels/sparse/minor-map.js";
import { sortLists } from "../../../src/kernels/sparse/sort-lists.js";
import type { IntArray } from "../../../src/model/stored.js";

const MAKE: readonly ((numbers: readonly number[]) => IntArray)[] = [
  (numbers) => Int32Array.from(numbers),
  (numbers) => Uint32Array.from(numbers),
  (numbers) => Uint8Array.from(numbers),
  (numbers) => Int16Array.from(numbers),
  (numbers) => BigInt64Array.from(numbers, BigInt),
  (numbers) => BigUint64Array.from(numbers, BigInt),
];

/** Each entry with every new position of its stored one, which rise. */
function slowKept(positions: readonly number[], indices: readonly number[]): { place: number; minor: number }[] {
  return indices.flatMap((index, place) =>
    positions.flatMap((position, minor) => (position === index ? [{ place, minor }] : [])),
  );
}

function fastKept(map: MinorMap, indices: IntArray): { place: number; minor: number }[] {
  const { places, minor } = selectMappedEntries(map, indices);
  expect(minor).toHaveLength(places.length);
  return Array.from(places, (place, i) => ({ place, minor: minor[i] }));
}

const equalLists = (a: Int32Array, b: readonly number[]) =>
  a.length === b.length && a.every((value, i) => value === b[i]);

const drawn = fc.integer({ min: 1, max: 12 }).chain((stored) => {
  const whole = Array.from({ length: stored }, (_, i) => i);
  const positions = fc.oneof(
    fc.array(fc.nat(stored - 1), { maxLength: 20 }),
    fc.shuffledSubarray(whole),
    fc.subarray(whole),
    fc.constantFrom([], whole, whole.toReversed(), [...whole, ...whole]),
  );
  const lists = fc.array(fc.array(fc.nat(stored - 1), { maxLength: 8 }), { maxLength: 6 });
  return fc.record({ stored: fc.constant(stored), positions, lists });
});

describe("positions of the minor axis", () => {
  test("keep entries of every type of indices as the slow twin does", () => {
    fc.assert(
      fc.property(drawn, ({ stored, positions, lists }) => {
        const map = createMinorMap(positions, stored);
        const indices = lists.flat();
        const expected = slowKept(positions, indices);
        for (const make of MAKE) expect(fastKept(map, make(indices))).toEqual(expected);
      }),
    );
  });

  test.each([0, 1, 3, 7])("keep entries of long lists, most of them at kept positions, %s of every eight", (share) => {
    const [stored, length] = [500, 40_000];
    const map = createMinorMap([9, 7, 300], stored);
    const indices = Int32Array.from({ length }, (_, i) => (i % 8 < share ? [7, 9, 300][i % 3] : 8));
    const { places, minor } = selectMappedEntries(map, indices);
    const expected = Array.from(indices.keys()).filter((i) => indices[i] !== 8);
    expect(equalLists(places, expected)).toBe(true);
    expect(
      equalLists(
        minor,
        expected.map((i) => [9, 7, 300].indexOf(indices[i])),
      ),
    ).toBe(true);
  });

  test("come back from a map in their order", () => {
    fc.assert(
      fc.property(drawn, ({ stored, positions }) => {
        const map = createMinorMap(positions, stored);
        expect(Array.from(computeStoredPositions(map))).toEqual(positions);
        expect(map.kept).toBe(positions.length);
        expect(map.one === null).toBe(new Set(positions).size < positions.length);
        expect(map.rises).toBe(positions.every((position, i) => i === 0 || position > positions[i - 1]));
      }),
    );
  });

  test("make lists that are sorted by the new positions; equal ones keep their order", () => {
    fc.assert(
      fc.property(drawn, fc.nat(1000), ({ stored, positions, lists }, base) => {
        const map = createMinorMap(positions, stored);
        // The pointers of a block of a longer matrix begin above 0.
        const pointers = Float64Array.from([0, ...lists.keys()], (_, i) => base + lists.slice(0, i).flat().length);
        const found = selectMappedEntries(map, Int32Array.from(lists.flat()));
        const offsets = computeSelectedOffsets(found, pointers);
        const slow = lists.map((list, i) =>
          slowKept(positions, list)
            .map(({ place, minor }) => ({ place: place + pointers[i] - base, minor }))
            .sort((a, b) => a.minor - b.minor),
        );
        expect(Array.from(offsets)).toEqual([0, ...slow.keys()].map((_, i) => slow.slice(0, i).flat().length));
        sortLists(found, offsets);
        const entries = Array.from(found.places, (place, i) => ({ place, minor: found.minor[i] }));
        expect(entries).toEqual(slow.flat());
      }),
    );
  });

  test("of which the order rises leave sorted lists sorted", () => {
    fc.assert(
      fc.property(drawn, ({ stored, positions, lists }) => {
        const map = createMinorMap(positions, stored);
        fc.pre(map.rises);
        for (const list of lists) {
          const { minor } = selectMappedEntries(map, Int32Array.from(list).sort());
          expect(Array.from(minor)).toEqual(Array.from(minor).sort((a, b) => a - b));
        }
      }),
    );
  });

  test("are counted before memory is taken for their entries", () => {
    const map = createMinorMap(new Int32Array(1000), 2);
    const counts: number[] = [];
    const refuse = (count: number) => {
      counts.push(count);
      throw new RangeError("too many");
    };
    expect(() => selectMappedEntries(map, Int32Array.of(0, 1, 0), 1999, refuse)).toThrow("too many");
    expect(selectMappedEntries(map, Int32Array.of(0, 1, 0), 2000, refuse).places).toHaveLength(2000);
    expect(counts).toEqual([2000]);
  });

  test("of an axis of nothing keep nothing", () => {
    const map = createMinorMap([], 0);
    expect(fastKept(map, new Int32Array(0))).toEqual([]);
    expect(computeStoredPositions(map)).toHaveLength(0);
  });
});
