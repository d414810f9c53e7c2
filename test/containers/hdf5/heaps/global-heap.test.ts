import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldSizes } from "../../../../src/containers/hdf5/bytes/cursor.js";
import { Hdf5File } from "../../../../src/containers/hdf5/file/hdf5-file.js";
import { GlobalHeap, readHeapText } from "../../../../src/containers/hdf5/heaps/global-heap.js";
import type { Datatype } from "../../../../src/containers/hdf5/types/datatype.js";
import { bytesSource } from "../fixture.js";
import {
  ascii,
  collection,
  entries,
  file,
  type Reference,
  references,
  SIZES,
  strings,
  textType,
  uint,
} from "./collections.js";

async function read(from: Hdf5File, list: readonly Reference[], sizes: FieldSizes = SIZES): Promise<string[]> {
  return strings(await readHeapText(from, textType(sizes), references(list, sizes)));
}

describe("text in collections", () => {
  test("is found in any order, more than once, or not at all", async () => {
    const two = file([collection(entries("cell", "naïve", "x")), collection(entries("another", "12345678"))]);
    const list: Reference[] = [
      [4, 64, 1],
      [1, 64, 3],
      [6, 64, 2],
      [8, 64 + 4096, 2],
      [0, 64, 9],
      [3, 64, 1],
      [7, 64 + 4096, 1],
      [5, 0, 1],
      [4, 64, 1],
    ];
    expect(await read(two, list)).toEqual(["cell", "x", "naïve", "12345678", "", "cel", "another", "", "cell"]);
  });

  test("ends at its NUL", async () => {
    expect(
      await read(file([collection(entries("ab\0cdefgh", "\0"))]), [
        [9, 64, 1],
        [1, 64, 2],
      ]),
    ).toEqual(["ab", ""]);
  });

  test("has the indices that freed objects left", async () => {
    const odd = [
      { index: 7, bytes: ascii("seven") },
      { index: 2, bytes: ascii("two") },
      { index: 65535, bytes: ascii("last") },
    ];
    const gap = [
      { index: 1, bytes: ascii("one") },
      { index: 2, bytes: ascii("two") },
      { index: 4, bytes: ascii("four") },
    ];
    const from = file([collection(odd), collection(gap)]);
    const [first, second] = [64, 64 + 4096];
    const list: Reference[] = [
      [3, first, 2],
      [4, first, 65535],
      [5, first, 7],
      [3, second, 1],
      [3, second, 2],
      [4, second, 4],
    ];
    expect(await read(from, list)).toEqual(["two", "last", "seven", "one", "two", "four"]);
    for (const index of [0, 1, 3, 65534, 65536, 2 ** 32 - 1]) {
      await expect(read(from, [[1, first, index]])).rejects.toThrow(`heap at 64 has no object ${index}`);
    }
    await expect(read(from, [[1, second, 3]])).rejects.toThrow("heap at 4160 has no object 3");
  });

  test("may fill a collection to its last byte, and be larger than a usual one", async () => {
    const long = "x".repeat(10_001);
    const tight = collection(entries("abc"), 16 + 16 + 3);
    const large = collection(entries(long, "y"), 16 + 16 + 10_008 + 24);
    const at = 64 + tight.length;
    expect(
      await read(file([tight, large]), [
        [3, 64, 1],
        [10_001, at, 1],
        [1, at, 2],
      ]),
    ).toEqual(["abc", long, "y"]);
  });

  test.each<FieldSizes>([
    { offsets: 4, lengths: 4 },
    { offsets: 2, lengths: 8 },
    { offsets: 8, lengths: 2 },
    { offsets: 4, lengths: 2 },
  ])("is found with $offsets bytes for an address and $lengths for a length", async (sizes) => {
    const from = file([collection(entries("one", "and two"), 4096, sizes)], sizes);
    expect(
      await read(
        from,
        [
          [7, 64, 2],
          [3, 64, 1],
          [0, 0, 0],
        ],
        sizes,
      ),
    ).toEqual(["and two", "one", ""]);
  });

  test("is the same however many pieces it is read in", async () => {
    const count = 70_000;
    const per = 100;
    const name = (i: number) => `cell ${i}`;
    const collections: number[][] = [];
    const list: Reference[] = [];
    for (let i = 0; i < count; i++) {
      // The last one is shared by all of the second half.
      const own = Math.min(i, count / 2);
      if (own === i && i % per === 0) {
        collections.push(collection(entries(...Array.from({ length: per }, (_, k) => name(i + k))), 8192));
      }
      list.push([name(own).length, 64 + 8192 * Math.floor(own / per), (own % per) + 1]);
    }
    const values = await read(file(collections), list);
    expect(values.length).toBe(count);
    expect(values.findIndex((value, i) => value !== name(Math.min(i, count / 2)))).toBe(-1);
  });

  test("is more than the file where values share objects", async () => {
    const from = file([collection(entries("x".repeat(4000)), 4096)]);
    const values = await readHeapText(from, textType(), references(new Array(100).fill([4000, 64, 1])));
    expect(values.bytes.length).toBe(400_000);
    expect(values.bytes.every((byte) => byte === 120)).toBe(true);
  });

  test("is what was put in", async () => {
    const word = fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replaceAll("\0", ""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(word, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 40 }),
        async (groups, picks) => {
          const encoder = new TextEncoder();
          const all = groups.flatMap((group, c) =>
            group.map((text, k) => ({ text, reference: [encoder.encode(text).length, 64 + 4096 * c, k + 1] as const })),
          );
          const chosen = picks.map((pick) => all[pick % all.length]);
          const from = file(groups.map((group) => collection(entries(...group))));
          expect(
            await read(
              from,
              chosen.map(({ reference }) => reference),
            ),
          ).toEqual(chosen.map(({ text }) => text));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("sequences in collections", () => {
  const type: Datatype = {
    class: "sequence",
    size: 16,
    base: { class: "integer", size: 4, signed: true, bigEndian: false, bitOffset: 0, precision: 32 },
  };

  test("are views of their bytes, and not longer than their objects", async () => {
    const heap = new GlobalHeap(file([collection([{ index: 1, bytes: [1, 0, 0, 0, 2, 0, 0, 0] }])]));
    const elements = references([
      [2, 64, 1],
      [0, 64, 1],
      [3, 64, 1],
    ]);
    await heap.fetch(type, elements, 3);
    expect([...heap.sequence(elements.subarray(0, 16), 4)]).toEqual([1, 0, 0, 0, 2, 0, 0, 0]);
    expect([...heap.sequence(elements.subarray(16, 32), 4)]).toEqual([]);
    expect(() => heap.sequence(elements.subarray(32), 4)).toThrow("value of 12 bytes in object 1 of 8 bytes, heap 64");
  });
});

test("sequences of text keep what an earlier fetch brought", async () => {
  const type: Datatype = { class: "sequence", size: 16, base: textType() };
  const inner = collection(entries("one", "two"));
  const at = 64 + 4096;
  const lists = [
    [
      ...references([
        [3, 64, 1],
        [3, 64, 2],
      ]),
    ],
    [...references([[3, 64, 2]])],
  ];
  const outer = collection(lists.map((bytes, i) => ({ index: i + 1, bytes })));
  const heap = new GlobalHeap(file([inner, outer]));
  for (let round = 0; round < 3; round++) {
    const elements = references([
      [2, at, 1],
      [1, at, 2],
      [0, 0, 0],
    ]);
    await heap.fetch(type, elements, 3);
    const found = [0, 1, 2].map((i) => {
      const values = heap.sequence(elements.subarray(16 * i, 16 * i + 16), 16);
      return strings(heap.text(values, values.length / 16));
    });
    expect(found).toEqual([["one", "two"], ["two"], []]);
  }
});

describe("what is wrong is named, with both numbers", () => {
  const good = collection(entries("abc", "de"));

  test.each<[string, readonly number[], Reference, RegExp]>([
    [
      "an address beyond the end",
      good,
      [1, 10 ** 6, 1],
      /address 1000000 lies beyond the end of the file, .* 4160 bytes/,
    ],
    ["an address beyond 2^53", good, [1, 2 ** 60, 1], /beyond the end of the file/],
    ["an address where there is no collection", good, [1, 65, 1], /no heap at address 65/],
    ["an address at the very end", good, [1, 4158, 1], /heap at 4158 needs 16 bytes, but 2 are left/],
    ["an object that is not there", good, [1, 64, 3], /heap at 64 has no object 3/],
    ["the free space as an object", good, [1, 64, 0], /heap at 64 has no object 0/],
    ["a value longer than its object", good, [4, 64, 1], /value of 4 bytes in object 1 of 3 bytes, heap 64/],
    ["a value of 4 GiB", good, [2 ** 32 - 1, 64, 1], /value of 4294967295 bytes in object 1 of 3 bytes/],
    ["another version", [...good.slice(0, 4), 2, ...good.slice(5)], [1, 64, 1], /no heap at address 64/],
    ["a collection smaller than its header", collection([], 15), [1, 64, 1], /heap at 64 has a size of 15 bytes/],
    [
      "a collection of no bytes",
      [...good.slice(0, 8), ...uint(0, 8), ...good.slice(16)],
      [1, 64, 1],
      /size of 0 bytes/,
    ],
    [
      "a collection that ends beyond the file",
      [...good.slice(0, 8), ...uint(4097, 8), ...good.slice(16)],
      [1, 64, 1],
      /4097 bytes at address 64 lie beyond the end/,
    ],
    [
      "a collection larger than the file",
      [...good.slice(0, 8), ...uint(2 ** 40, 8), ...good.slice(16)],
      [1, 64, 1],
      /1099511627776 bytes at address 64 lie beyond the end of the file, which has 4160 bytes/,
    ],
    [
      "a collection of 2^60 bytes",
      [...good.slice(0, 8), ...uint(2 ** 60, 8), ...good.slice(16)],
      [1, 64, 1],
      /heap holds the size or address 115292\d+, beyond 2\^53/,
    ],
    [
      "an object longer than its collection",
      collection([{ index: 1, bytes: ascii("abc"), size: 5000 }]),
      [1, 64, 1],
      /heap at 64 needs 5000 more bytes, but 4064 are left/,
    ],
  ])("%s", async (_, bytes, reference, message) => {
    await expect(read(file([bytes]), [reference])).rejects.toThrow(message);
    const heap = new GlobalHeap(file([bytes]));
    const elements = references([reference]);
    const text = heap.fetch(textType(), elements, 1).then(() => heap.text(elements, 1));
    await expect(text).rejects.toThrow(message);
  });

  test("collections that overlap beyond the file's size", async () => {
    const inner = collection([], 2048);
    const outer = [...collection([], 4096).slice(0, 2048), ...inner];
    const list = Array.from({ length: 2 }, (_, i): Reference => [1, 64 + 2048 * i, 1]);
    const source = [...uint(0, 8), ...outer];
    source.splice(8 + 8, 8, ...uint(4096, 8));
    const from = new Hdf5File(bytesSource(Uint8Array.from([...new Array(56).fill(0xff), ...source])), 0, SIZES);
    await expect(read(from, list)).rejects.toThrow(/heaps of 6144 bytes and more in a file of 4160/);
  });

  test("elements that all point at one text beyond the size of the file", async () => {
    const from = file([collection([{ index: 1, bytes: new Array(4000).fill(0x61) }])]);
    const one: Reference = [4000, 64, 1];
    expect((await read(from, [one, one, one])).length).toBe(3);
    await expect(readHeapText(from, textType(), references(new Array(40_000).fill(one)))).rejects.toMatchObject({
      tag: "UnsupportedError",
      message: expect.stringMatching(
        /more than \d+ bytes together, in a file of 4160: they share them; read fewer rows/,
      ),
    });
  });

  test("sequences of sequences that hold themselves", async () => {
    let nested: Datatype = { class: "integer", size: 4, bigEndian: false, signed: true, bitOffset: 0, precision: 32 };
    for (let depth = 0; depth < 30; depth++) nested = { class: "sequence", size: 16, base: nested };
    const self: Reference = [100, 64, 1];
    const from = file([collection([{ index: 1, bytes: [...references(new Array(100).fill(self))] }])]);
    await expect(new GlobalHeap(from).fetch(nested, references([self]), 1)).rejects.toThrow(/they share them/);
  });

  test("of two objects with one index the last counts, wherever reading begins", async () => {
    const twice = file([
      collection([
        { index: 1, bytes: ascii("old") },
        { index: 1, bytes: ascii("new") },
      ]),
    ]);
    expect(
      await read(twice, [
        [3, 64, 1],
        [3, 64, 1],
      ]),
    ).toEqual(["new", "new"]);
  });

  test("no more memory is foreseen than the file has bytes", () => {
    const from = file([good]);
    const list = references(new Array(1000).fill([2 ** 32 - 1, 64, 1]));
    expect(new GlobalHeap(from).textBytes(list, 1000)).toBe(from.size);
    expect(new GlobalHeap(from).textBytes(references([[3, 64, 1]]), 1)).toBe(3);
  });
});
