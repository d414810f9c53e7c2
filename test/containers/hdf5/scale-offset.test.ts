import fc from "fast-check";
import { File, ready } from "h5wasm";
import { beforeAll, expect, test } from "vitest";
import { draws } from "../../draws.js";
import { crossCheck } from "./cross-check.js";
import { bytesSource } from "./fixture.js";

const SCALE_OFFSET = 6;
const [DECIMAL, INTEGER] = [0, 2];

/** The types of integers that h5wasm writes: their bits, and the memory of values. */
const TYPES = {
  "<b": { bits: 8, from: (values: readonly bigint[]) => Int8Array.from(values, Number) },
  "<B": { bits: 8, from: (values: readonly bigint[]) => Uint8Array.from(values, Number) },
  "<h": { bits: 16, from: (values: readonly bigint[]) => Int16Array.from(values, Number) },
  "<H": { bits: 16, from: (values: readonly bigint[]) => Uint16Array.from(values, Number) },
  "<i": { bits: 32, from: (values: readonly bigint[]) => Int32Array.from(values, Number) },
  "<I": { bits: 32, from: (values: readonly bigint[]) => Uint32Array.from(values, Number) },
  "<q": { bits: 64, from: (values: readonly bigint[]) => BigInt64Array.from(values) },
  "<Q": { bits: 64, from: (values: readonly bigint[]) => BigUint64Array.from(values) },
} as const;

type Values = Parameters<typeof File.prototype.create_dataset>[0]["data"];

let made = 0;
let module: Awaited<typeof ready>;
beforeAll(async () => {
  module = await ready;
});

/** Lets libhdf5 pack values of one dataset, and compares what both readers give. */
async function compare(data: Values, length: number, dtype: string, chunk: number, settings: number[]): Promise<void> {
  const path = `/packed-${made++}.h5`;
  const file = new File(path, "w");
  file.create_dataset({
    ...{ name: "values", data, shape: [length], dtype, chunks: [chunk] },
    ...{ compression: SCALE_OFFSET, compression_opts: settings },
  });
  file.close();
  const bytes = module.FS.readFile(path);
  module.FS.unlink(path);
  const { equal, different, skipped } = await crossCheck(bytesSource(bytes, path), bytes);
  expect([different, skipped, equal.values]).toEqual([[], [], length]);
}

test("integers of any size and range are as libhdf5 unpacks what it has packed", async () => {
  const numbers = fc.record({
    dtype: fc.constantFrom("<b", "<B", "<h", "<H", "<i", "<I", "<q", "<Q"),
    // All values differ from the first one in no more than so many bits.
    range: fc.integer({ min: 1, max: 64 }),
    first: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    steps: fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { minLength: 1, maxLength: 60 }),
    chunk: fc.integer({ min: 1, max: 20 }),
    bits: fc.constantFrom(0, 0, 0, 5),
  });
  await fc.assert(
    fc.asyncProperty(numbers, async ({ dtype, range, first, steps, chunk, bits }) => {
      const { bits: all, from } = TYPES[dtype];
      const data = from(steps.map((step) => BigInt.asUintN(all, first + BigInt.asUintN(Math.min(range, all), step))));
      await compare(data, data.length, dtype, Math.min(chunk, data.length), [INTEGER, bits]);
    }),
    draws(800),
  );
});

test("floats of any scale are as libhdf5 unpacks what it has packed", async () => {
  const numbers = fc.record({
    isSingle: fc.boolean(),
    values: fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 }),
    holes: fc.array(fc.nat(59), { maxLength: 5 }),
    chunk: fc.integer({ min: 1, max: 20 }),
    digits: fc.integer({ min: -3, max: 14 }),
  });
  await fc.assert(
    fc.asyncProperty(numbers, async ({ isSingle, values, holes, chunk, digits }) => {
      const data = isSingle ? Float32Array.from(values) : Float64Array.from(values);
      for (const at of holes) if (at < data.length) data[at] = 0;
      await compare(data, data.length, isSingle ? "<f" : "<d", Math.min(chunk, data.length), [DECIMAL, digits >>> 0]);
    }),
    draws(800),
  );
});
