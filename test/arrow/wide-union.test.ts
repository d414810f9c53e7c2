/** Lists whose length a file decides are no arguments of one call: a call takes about 120,000. */

import { expect, test } from "vitest";
import { countContentRows } from "../../src/arrow/ragged/content-length.js";
import type { RaggedForm } from "../../src/arrow/ragged/form.js";
import { createField, estimateValueSize } from "../../src/arrow/type.js";

test("a union of many members has an estimated size", () => {
  const fields = Array.from({ length: 200_000 }, (_, i) => createField(`f${i}`, { id: "Bool" }));
  expect(estimateValueSize({ id: "DenseUnion", fields })).toBeGreaterThan(0);
});

const BYTE = { kind: "int", bits: 8, signed: true, littleEndian: true } as const;

test("a record of many fields has the rows of its shortest one", () => {
  const bytes: RaggedForm = { class: "NumpyArray", key: "long", type: BYTE, innerShape: [] };
  const contents = Array.from({ length: 200_000 }, (_, i) => (i === 150_000 ? { ...bytes, key: "short" } : bytes));
  const record: RaggedForm = { class: "RecordArray", key: "node0", fields: contents.map((_, i) => `f${i}`), contents };
  expect(countContentRows(record, { length: (name) => (name === "short-data" ? 2 : 3) })).toBe(2);
});
