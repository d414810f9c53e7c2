import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createBytesSource } from "../../src/io/sources/memory.js";
import { InvalidDataError, runWithLocation, UnsupportedError } from "../../src/model/errors.js";
import { draws } from "../draws.js";
import type { Stretch } from "./change.js";
import { checksummedInHdf5, isProtected, mend } from "./checksums.js";
import { numberIn, type Structure } from "./fields.js";
import { arrowFields, parquetFields, rFields, wordFields, zipFields } from "./format-fields.js";
import { hdf5Fields } from "./hdf5-fields.js";
import { mutate } from "./mutate.js";
import { Random } from "./random.js";
import { readContainer } from "./read-everything.js";
import { fuzz } from "./run.js";
import { defectOf } from "./verdict.js";
import { documentChange } from "./zarr-document.js";

test("damaged files end in a named error or in values of the right form", async () => {
  const mutations = draws(600).numRuns;
  const { byFormat, failures } = await fuzz({ seeds: [1], mutations, processes: 2, largest: 15_000 });
  expect(failures).toEqual([]);
  const counts = [...byFormat.values()].map((format) => format.mutations);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(mutations);
}, 180_000);

test("an error that nobody meant is told from one of ours", async () => {
  const thrown = async (error: unknown) => {
    try {
      await runWithLocation({ element: "x" }, () => {
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
  const target = { bytes, reads: [{ start: 100, end: 140 }], addresses: [8], structure: wordFields(bytes) };
  for (let number = 0; number < 50; number++) {
    const [first, second] = [mutate(target, new Random(1, "a", number)), mutate(target, new Random(1, "a", number))];
    expect(first).toEqual(second);
  }
  expect(bytes).toEqual(new Uint8Array(256).map((_, i) => i));
});

test("mended checksums let changed metadata through", async () => {
  const bytes = new Uint8Array(readFileSync("test/fixtures/data/hdf5/newest.h5"));
  const plain = createBytesSource(bytes);
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
  expect((await readContainer(createBytesSource(damaged))).errors).not.toEqual([]);
  mend(damaged, blocks, changed);
  expect((await readContainer(createBytesSource(damaged))).errors).toEqual((await readContainer(plain)).errors);
});

test("the numbers of each format are found where its specification has them", () => {
  const read = (name: string) => new Uint8Array(readFileSync(`test/fixtures/data/${name}`));
  const at =
    (start: number) =>
    ({ fields }: Structure) =>
      fields.filter((field) => field.start === start);
  const loom = read("loom/loompy.loom");
  // A superblock of version 0: the root group's object header, its tree and its heap.
  const inLoom = hdf5Fields(loom, [Number(new DataView(loom.buffer).getBigUint64(64, true))]);
  expect([64, 80, 88].map((start) => at(start)(inLoom)[0])).toEqual([
    { start: 64, width: 8, coding: "little", role: "object" },
    { start: 80, width: 8, coding: "little", role: "address" },
    { start: 88, width: 8, coding: "little", role: "address" },
  ]);
  const zip = read("zarr/v3.zip");
  const directory = at(zip.length - 6)(zipFields(zip));
  expect(directory).toEqual([{ start: zip.length - 6, width: 4, coding: "little", role: "address" }]);
  expect(numberIn(zip, directory[0])).toBe(BigInt(Buffer.from(zip).indexOf("PK\x01\x02")));
  // Behind the header of 23 bytes: an S4 object, its pairlist, a symbol, and its text of 8 bytes.
  const r = read("bpcells-rds/packed-plain.rds");
  const text = at(39)(rFields(r));
  expect(text.map((field) => [field.role, numberIn(r, field)])).toEqual([["size", 8n]]);
  const parquet = read("tables/dictionaries.parquet");
  const footer = parquet.length - 8 - new DataView(parquet.buffer).getInt32(parquet.length - 8, true);
  // FileMetaData begins with the version, and a list of schema elements; the first column's data begin behind PAR1.
  const inParquet = parquetFields(parquet);
  expect(at(footer + 1)(inParquet)).toEqual([{ start: footer + 1, width: 1, coding: "varint", role: "size" }]);
  expect(inParquet.borders).toContain(4);
  const arrow = read("flight/delta.arrows");
  expect(at(4)(arrowFields(arrow))).toEqual([{ start: 4, width: 4, coding: "little", role: "size" }]);
});

test("a changed document is a document still", () => {
  const document = { shape: [3, 4], codecs: [{ name: "bytes", configuration: { endian: "little" } }], fill_value: 0 };
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const texts = Array.from({ length: 100 }, (_, number) =>
    Buffer.from(documentChange(bytes, new Random(1, number))?.bytes ?? []).toString(),
  );
  expect(texts.filter((text) => text !== "").every((text) => JSON.parse(text) !== undefined)).toBe(true);
  expect(new Set(texts).size).toBeGreaterThan(60);
  expect(documentChange(new Uint8Array([1, 2]), new Random(1))).toBeNull();
});
