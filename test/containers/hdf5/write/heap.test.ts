import { expect, test } from "vitest";
import { createHdf5 } from "../../../../src/containers/hdf5/write/container.js";
import { createBytesSource } from "../../../../src/io/sources/memory.js";
import { crossCheck } from "../cross-check.js";
import { inlineEncoder } from "./inline-encoder.js";
import { fixed, INT32, NO_COMPRESSION, TEXT, text, written } from "./written.js";

/** Of texts: at the borders of an object, of a collection of 4096 bytes, and of one of 65536. */
const SIZES = [0, 1, 7, 8, 9, 4048, 4056, 4064, 4072, 4080, 65_503, 65_504, 65_512, 65_520, 65_535, 65_536, 200_000];
const TEXTS = SIZES.map((size) => "a".repeat(size));

test("texts of all sizes, at once and one by one", async () => {
  const bytes = await written(async ({ root }) => {
    const [once, single] = [
      await root.array("once", { type: TEXT, shape: [TEXTS.length] }),
      await root.array("single", { type: TEXT, shape: [TEXTS.length] }),
    ];
    await once.write(text(...TEXTS), TEXTS.length);
    for (const one of TEXTS) await single.write(text(one), 1);
    for (const array of [once, single]) await array.close();
    for (const [i, one] of TEXTS.entries()) root.attribute(`a${i}`, { type: TEXT, shape: [], values: text(one) });
  });
  const { different, equal } = await crossCheck(createBytesSource(bytes), bytes);
  expect(different).toEqual([]);
  expect(equal).toMatchObject({ arrays: 2, attributes: TEXTS.length });
});

test("more texts than a collection can number, empty ones among them", async () => {
  const bytes = await written(async ({ root }) => {
    for (const value of ["x", ""]) {
      const array = await root.array(`of ${value.length}`, { type: TEXT, shape: [70_000] });
      await array.write(text(...Array<string>(70_000).fill(value)), 70_000);
      await array.close();
    }
  });
  expect(await crossCheck(createBytesSource(bytes), bytes)).toMatchObject({ different: [], skipped: [] });
});

/** The collections of a file by their signature: size, objects, and what is left. */
function collections(bytes: Uint8Array): { size: number; objects: number; free: number }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = [];
  for (let at = 0; at + 16 <= bytes.length; at += 8) {
    if (view.getUint32(at) !== 0x47434f4c) continue;
    const size = Number(view.getBigUint64(at + 8, true));
    let [next, objects, free] = [at + 16, 0, 0];
    while (next + 16 <= at + size) {
      const length = Number(view.getBigUint64(next + 8, true));
      if (view.getUint16(next, true) === 0) {
        // Free space counts its own header, and goes to the end.
        free = length;
        expect(next + length).toBe(at + size);
        break;
      }
      expect(view.getUint16(next, true)).toBe(++objects);
      expect(view.getUint16(next + 2, true)).toBe(1);
      next += 16 + Math.ceil(length / 8) * 8;
    }
    found.push({ size, objects, free });
  }
  return found;
}

test("small texts share a collection of 4096 bytes, large ones have their own", async () => {
  const bytes = await written(async ({ root }) => {
    root.attribute("a", { type: TEXT, shape: [], values: text("array") });
    root.attribute("b", { type: TEXT, shape: [], values: text("0.2.0") });
    root.attribute("c", { type: TEXT, shape: [], values: text("x".repeat(5000)) });
    root.attribute("d", { type: TEXT, shape: [], values: text("") });
  });
  expect(collections(bytes)).toEqual([
    { size: 4096, objects: 3, free: 4096 - 16 - 24 - 24 - 16 },
    { size: 16 + 16 + 5000, objects: 1, free: 0 },
  ]);
});

test("many texts have collections of 64 KiB, without gaps", async () => {
  const bytes = await written(async ({ root }) => {
    const array = await root.array("x", { type: TEXT, shape: [50_000] });
    await array.write(text(...Array.from({ length: 50_000 }, (_, i) => `cell-${i}`)), 50_000);
    await array.close();
  });
  const found = collections(bytes);
  expect(found.reduce((sum, { objects }) => sum + objects, 0)).toBe(50_000);
  for (const { size } of found.slice(0, -4)) expect(size).toBeGreaterThanOrEqual(65_536);
  expect(bytes.length).toBeLessThan(50_000 * (16 + 16 + 16) + 100_000);
});

test("data go out in writes of 1 MiB, however small their portions", async () => {
  const sizes: number[] = [];
  const target = {
    kind: "bytes",
    name: "count",
    write: async (_: number, bytes: Uint8Array) => {
      sizes.push(bytes.length);
    },
    commit: async () => undefined,
    abort: async () => undefined,
  } as const;
  const file = createHdf5(target, { encoder: inlineEncoder(), compression: NO_COMPRESSION });
  const arrays = [];
  for (const name of ["a", "b", "c"]) arrays.push(await file.root.array(name, { type: INT32, shape: [2 ** 20] }));
  arrays.push(await file.root.array("d", { type: INT32, shape: [null], chunks: [1000] }));
  const portion = fixed(new Int32Array(2 ** 10));
  for (let i = 0; i < 2 ** 10; i++) for (const array of arrays) await array.write(portion, 2 ** 10);
  for (const array of arrays) await array.close();
  await file.close();
  expect(sizes.reduce((a, b) => a + b, 0)).toBeGreaterThan(16 * 2 ** 20);
  expect(sizes.length).toBeLessThan(24);
});
