import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { InvalidDataError, located, UnsupportedError } from "../../src/errors.js";
import { bytesSource } from "../../src/sources/memory.js";
import { checksummedInHdf5, isProtected, mend } from "./checksums.js";
import { mutate, type Stretch } from "./mutate.js";
import { Random } from "./random.js";
import { readContainer } from "./read-everything.js";
import { fuzz } from "./run.js";
import { defectOf } from "./verdict.js";

test("damaged files end in a named error or in values of the right form", async () => {
  const { mutations, failures } = await fuzz({ seed: 1, mutations: 600, processes: 2, largest: 25_000 });
  expect(failures).toEqual([]);
  expect(mutations).toBeGreaterThanOrEqual(600);
});

test("an error that nobody meant is told from one of ours", async () => {
  const thrown = async (error: unknown) => {
    try {
      await located({ element: "x" }, () => {
        throw error;
      });
    } catch (caught) {
      return caught;
    }
  };
  expect(defectOf(new UnsupportedError("no"))).toBeNull();
  expect(defectOf(new InvalidDataError("corrupt", { cause: new RangeError("from below") }))).toBeNull();
  expect(defectOf(new RangeError("Invalid typed array length: -1"))).toContain("RangeError");
  expect(defectOf(await thrown(new TypeError("undefined is not a function")))).toContain("by accident");
});

test("mutations follow from their seed", () => {
  const bytes = new Uint8Array(256).map((_, i) => i);
  const target = { bytes, reads: [{ start: 100, end: 140 }], addresses: [8] };
  for (let number = 0; number < 50; number++) {
    const [first, second] = [mutate(target, new Random(1, "a", number)), mutate(target, new Random(1, "a", number))];
    expect(first).toEqual(second);
  }
  expect(bytes).toEqual(new Uint8Array(256).map((_, i) => i));
});

test("mended checksums let changed metadata through", async () => {
  const bytes = new Uint8Array(readFileSync("test/fixtures/data/hdf5/newest.h5"));
  const plain = bytesSource(bytes);
  const reads: Stretch[] = [];
  const recording = {
    ...plain,
    read: (start: number, end: number) => {
      reads.push({ start, end });
      return plain.read(start, end);
    },
  };
  await readContainer(recording);
  const blocks = checksummedInHdf5(bytes, reads);
  // The tree's percentage for splitting nodes: only writers need it.
  const start = Buffer.from(bytes).indexOf("BTHD") + 14;
  const changed = [{ start, end: start + 1 }];
  expect(isProtected(blocks, changed)).toBe(true);
  const damaged = bytes.slice();
  damaged[start] ^= 0xff;
  expect((await readContainer(bytesSource(damaged))).errors).not.toEqual([]);
  mend(damaged, blocks, changed);
  expect((await readContainer(bytesSource(damaged))).errors).toEqual((await readContainer(plain)).errors);
});
