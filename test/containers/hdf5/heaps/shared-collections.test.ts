import { expect, test } from "vitest";
import { Hdf5File } from "../../../../src/containers/hdf5/file/hdf5-file.js";
import { GlobalHeap } from "../../../../src/containers/hdf5/heaps/global-heap.js";
import { bytesSource } from "../fixture.js";
import { collection, entries, references, SIZES, strings, textType } from "./collections.js";

test("collections that attributes share are read once, as far as they are few", async () => {
  // 80 collections of 4 KiB are more than a file keeps.
  const words = Array.from({ length: 80 }, (_, c) => [`a${c}`, `bc${c}`]);
  const bytes = Uint8Array.from([
    ...new Array(64).fill(0xff),
    ...words.flatMap((pair) => collection(entries(...pair))),
  ]);
  const source = bytesSource(bytes);
  const reads: number[] = [];
  const counted: typeof source = {
    ...source,
    read(start, end) {
      reads.push(start);
      return source.read(start, end);
    },
  };
  const from = new Hdf5File(counted, 0, SIZES);
  const textOf = async (c: number, index: number) => {
    const heap = new GlobalHeap(from);
    const elements = references([[words[c][index - 1].length, 64 + 4096 * c, index]]);
    await heap.fetch(textType(), elements, 1);
    return strings(heap.text(elements, 1))[0];
  };
  for (let round = 0; round < 3; round++) {
    const both = await Promise.all([textOf(1, 2), textOf(0, 1), textOf(1, 1)]);
    expect(both).toEqual(["bc1", "a0", "a1"]);
  }
  expect(reads.filter((start) => start === 64)).toHaveLength(1);
  for (const [c, pair] of words.entries()) for (const i of [1, 2]) expect(await textOf(c, i)).toBe(pair[i - 1]);
  expect(reads.length).toBeLessThan(90);
  expect(await textOf(0, 2)).toBe("bc0");
});
