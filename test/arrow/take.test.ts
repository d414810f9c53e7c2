import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toRecordBatch, toSchema } from "../../src/arrow/apache/apache.js";
import { toColumns } from "../../src/arrow/apache/apache-columns.js";
import { toColumnFields } from "../../src/arrow/apache/apache-fields.js";
import { emptyColumn } from "../../src/arrow/column.js";
import { joinColumns } from "../../src/arrow/join.js";
import { sliceColumn, takeColumn } from "../../src/arrow/take.js";
import { createField, describeArrowType } from "../../src/arrow/type.js";
import { UnsupportedError } from "../../src/model/errors.js";
import { arbitraryColumn, arbitraryType } from "./arbitrary-column.js";
import { roundTrip } from "./plain.js";

const column = arbitraryType(3).chain((type) => fc.nat(20).chain((length) => arbitraryColumn(type, length)));
const withRange = column.chain((one) =>
  fc.tuple(fc.constant(one), fc.nat(one.length), fc.nat(one.length)).map(([of, a, b]) => ({
    of,
    start: Math.min(a, b),
    end: Math.max(a, b),
  })),
);

describe("rows of columns of any type", () => {
  test("at places, some of them missing", () => {
    const cases = column.chain((of) =>
      fc.tuple(fc.constant(of), fc.array(fc.integer({ min: -1, max: of.length - 1 }), { maxLength: 20 })),
    );
    fc.assert(
      fc.property(cases, ([of, places]) => {
        const all = roundTrip(of);
        const taken = takeColumn(of, Int32Array.from(places));
        expect(roundTrip(taken)).toEqual(places.map((place) => (place < 0 ? null : all[place])));
        expect(taken.type).toBe(of.type);
      }),
      { numRuns: 300 },
    );
  });

  test("from one to another", () => {
    fc.assert(
      fc.property(withRange, ({ of, start, end }) => {
        const slice = sliceColumn(of, start, end);
        expect(slice.length).toBe(end - start);
        expect(
          roundTrip(
            takeColumn(
              slice,
              Int32Array.from({ length: slice.length }, (_, i) => i),
            ),
          ),
        ).toEqual(roundTrip(of).slice(start, end));
      }),
      { numRuns: 300 },
    );
  });

  test("cut and put together", () => {
    fc.assert(
      fc.property(withRange, ({ of, start, end }) => {
        const parts = [sliceColumn(of, 0, start), sliceColumn(of, start, end), sliceColumn(of, end, of.length)];
        if (/Dictionary|Union/.test(describeArrowType(of.type))) {
          expect(() => joinColumns(parts)).toThrow(UnsupportedError);
        } else {
          expect(roundTrip(joinColumns(parts))).toEqual(roundTrip(of));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("of apache-arrow's batches, cut there", () => {
    fc.assert(
      fc.property(withRange, ({ of, start, end }) => {
        const schema = toSchema([createField("value", of.type)], new Map());
        const batch = toRecordBatch(schema, [of], of.length).slice(start, end);
        const [one] = toColumnFields(batch.schema);
        expect(describeArrowType(one.type)).toBe(describeArrowType(of.type));
        const [back] = toColumns(batch, [one.type]);
        expect(back.length).toBe(end - start);
        expect(roundTrip(back)).toEqual(roundTrip(of).slice(start, end));
      }),
      { numRuns: 300 },
    );
  });
});

test("columns without rows are of their type", () => {
  fc.assert(
    fc.property(arbitraryType(3), (type) => {
      expect(emptyColumn(type).type).toBe(type);
      expect(roundTrip(emptyColumn(type))).toEqual([]);
    }),
  );
});

test("texts of more bytes than one batch may have are refused before they are copied", () => {
  const bytes = new Uint8Array(2 ** 20);
  const text = { layout: "variable", type: { id: "Utf8" }, length: 1, validity: null } as const;
  const column = { ...text, offsets: Int32Array.of(0, bytes.length), bytes };
  expect(() => takeColumn(column, new Int32Array(2 ** 10 + 1))).toThrow(UnsupportedError);
});
