/** What is written comes back from our reader, for random types, shapes, chunks and parts. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ZarrCompression } from "../../../../src/containers/zarr/write/compression.js";
import {
  allocate,
  countElements,
  getDecodedSize,
  type StoredType,
  type StoredValues,
  viewAsBytes,
} from "../../../../src/model/stored.js";
import { memoryArray, TEXT, variableOf } from "../../../stored-array.js";
import { readAll } from "../stores.js";
import { type Options, written } from "./written.js";

const COMPRESSIONS: readonly ZarrCompression[] = [
  { kind: "none" },
  { kind: "gzip", level: 1 },
  { kind: "zstd", level: 1 },
  { kind: "blosc", cname: "lz4", clevel: 5, shuffle: "byte" },
  { kind: "blosc", cname: "zstd", clevel: 1, shuffle: "none" },
];

const leaf: fc.Arbitrary<StoredType> = fc.constantFrom<StoredType>(
  { kind: "bool" },
  { kind: "int", bits: 8, signed: true },
  { kind: "int", bits: 16, signed: false },
  { kind: "int", bits: 32, signed: true },
  { kind: "int", bits: 64, signed: false },
  { kind: "float", bits: 16 },
  { kind: "float", bits: 32 },
  { kind: "float", bits: 64 },
  { kind: "complex", bits: 64 },
  { kind: "complex", bits: 128 },
  { kind: "datetime", unit: "ns", step: 1 },
  { kind: "timedelta", unit: "D", step: 7 },
  { kind: "bytes", width: 5 },
  { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 7, padding: "nullpad" } },
  { kind: "text", storage: { form: "fixed", encoding: "utf-32", width: 12, padding: "nullpad" } },
);

const record: fc.Arbitrary<StoredType> = fc
  .array(leaf, { minLength: 1, maxLength: 4 })
  .map((types) => ({ kind: "record", fields: types.map((type, i) => ({ name: `f${i} é`, type, shape: [] })) }));

const type = fc.oneof(
  leaf,
  record,
  fc.constant<StoredType>(TEXT),
  fc.constant<StoredType>({ kind: "bytes", width: null }),
);

const WORDS = ["", "a", "é", "日本", "\u{1f600}z", "0123456"];

/** `count` values made from a seed; many of them zero or empty. */
function valuesOf(type: StoredType, count: number, seed: number): StoredValues {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 8;
  };
  if (type.kind === "record") {
    return {
      kind: "record",
      length: count,
      fields: type.fields.map((field, i) => valuesOf(field.type, count, seed + i)),
    };
  }
  if (type.kind === "text" || (type.kind === "bytes" && type.width === null)) {
    const isFixed = type.kind === "text" && type.storage.form === "fixed";
    const isAscii = isFixed && type.storage.encoding === "ascii";
    const words = isAscii ? ["", "a", "0123456"] : isFixed ? WORDS.slice(0, 5) : WORDS;
    return variableOf(Array.from({ length: count }, () => new TextEncoder().encode(words[next() % words.length])));
  }
  const values = allocate(type, count);
  const bytes = viewAsBytes(values);
  const size = getDecodedSize(type) ?? 1;
  for (let i = 0; i < count; i++) {
    if (next() % 3 === 0) continue;
    for (let byte = 0; byte < size; byte++) bytes[i * size + byte] = type.kind === "bool" ? 1 : next();
  }
  return { kind: "fixed", values };
}

/** Bytes of values, which are compared instead of NaNs. */
function plain(values: StoredValues): unknown {
  switch (values.kind) {
    case "fixed":
      return Buffer.from(viewAsBytes(values.values)).toString("hex");
    case "variable":
      return Array.from({ length: values.offsets.length - 1 }, (_, i) =>
        Buffer.from(values.bytes.subarray(values.offsets[i], values.offsets[i + 1])).toString("hex"),
      );
    case "record":
      return values.fields.map(plain);
    case "sequence":
      return [Array.from(values.offsets), plain(values.values)];
    default:
      return values satisfies never;
  }
}

const shapes = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 2 }));

const cases = fc.record({
  type,
  shape: shapes,
  open: fc.boolean(),
  chunks: fc.option(
    fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 })),
  ),
  parts: fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 5 }),
  compression: fc.constantFrom(...COMPRESSIONS),
  version: fc.constantFrom<2 | 3>(2, 3),
  sharding: fc.boolean(),
  records: fc.constantFrom<"struct" | "structured">("struct", "structured"),
  seed: fc.nat(),
});

describe("round trip", () => {
  it("of random arrays", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ type, shape: [rows, rest], open, chunks, parts, seed, ...options }) => {
        const values = valuesOf(type, rows * countElements(rest), seed);
        const given = memoryArray(type, [rows, ...rest], values);
        const store = await written(options satisfies Options, async ({ root }) => {
          const array = await root.array("x", {
            type,
            shape: [open ? null : rows, ...rest],
            ...(chunks === null ? {} : { chunks: chunks.slice(0, 1 + rest.length) }),
          });
          for (let at = 0, i = 0; at < rows; i++) {
            const end = Math.min(rows, at + (i < parts.length ? parts[i] : rows));
            await array.write(await given.read(at, end), end - at);
            at = end;
          }
          await array.close();
        });
        const array = await (await store.open()).root.open("x");
        if (array.kind !== "array") throw new Error("no array");
        expect(array.type).toEqual(type);
        expect(array.shape).toEqual([rows, ...rest]);
        expect(plain(await readAll(array))).toEqual(plain(values));
      }),
      { numRuns: 400 },
    );
  });

  it.each([2, 3] as const)("of scalars in version %i", async (version) => {
    await fc.assert(
      fc.asyncProperty(type, fc.nat(), async (type, seed) => {
        const values = valuesOf(type, 1, seed);
        const store = await written({ version, compression: { kind: "gzip", level: 1 } }, async ({ root }) => {
          const array = await root.array("x", { type, shape: [] });
          await array.write(values, 1);
          await array.close();
        });
        const array = await (await store.open()).root.open("x");
        if (array.kind !== "array") throw new Error("no array");
        expect(array.shape).toEqual([]);
        expect(array.type).toEqual(type);
        expect(plain(await readAll(array))).toEqual(plain(values));
      }),
      { numRuns: 50 },
    );
  });

  it("of attributes", async () => {
    const store = await written({ version: 3 }, async ({ root }) => {
      const ints = { kind: "int", bits: 64, signed: true } as const;
      const floats = { kind: "float", bits: 64 } as const;
      root.attribute("big", {
        type: ints,
        shape: [],
        values: { kind: "fixed", values: BigInt64Array.of(-(2n ** 63n)) },
      });
      root.attribute("nan", {
        type: floats,
        shape: [1],
        values: { kind: "fixed", values: Float64Array.of(Number.NaN) },
      });
    });
    const { root } = await store.open();
    expect(Object.fromEntries(root.attributes)).toEqual({ big: -(2n ** 63n), nan: [Number.NaN] });
  });
});
