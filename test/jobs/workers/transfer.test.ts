import { expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { INT32, UTF8 } from "../../../src/arrow/type.js";
import { JobMemory } from "../../../src/jobs/memory/buffer-pool.js";
import type { JobResult } from "../../../src/jobs/rows/task.js";
import { toTransferableResult, withDictionaries } from "../../../src/jobs/workers/transfer.js";

const ints = (values: Int32Array): Column => ({
  layout: "primitive",
  type: INT32,
  length: values.length,
  validity: null,
  values,
});
const partOf = (...columns: Column[]): JobResult => ({
  kind: "batches",
  batches: [{ length: columns[0].length, columns }],
});

function sent(part: JobResult): JobResult {
  const { result: shipped, transfer } = toTransferableResult(part);
  return structuredClone(shipped, { transfer });
}

test("memory that holds nothing else moves", () => {
  const values = Int32Array.of(1, 2, 3);
  expect(sent(partOf(ints(values)))).toEqual(partOf(ints(Int32Array.of(1, 2, 3))));
  expect(values.length).toBe(0);
});

test("memory that holds more, or stands in two columns, is copied", () => {
  const band = Int32Array.of(1, 2, 3, 4);
  const part = ints(band.subarray(1, 3));
  const whole = ints(Int32Array.of(5, 6));
  expect(sent(partOf(part, whole, whole))).toEqual(
    partOf(ints(Int32Array.of(2, 3)), ints(Int32Array.of(5, 6)), ints(Int32Array.of(5, 6))),
  );
  expect([...band]).toEqual([1, 2, 3, 4]);
});

test("memory that comes back moves whole, however little of it a column has, and once", () => {
  const scratch = new JobMemory();
  const block = scratch.take(16);
  const values = new Int32Array(block.buffer, 0, 4);
  values.set([1, 2, 3, 4]);
  const foreign = Int32Array.of(5, 6, 7);
  const part = partOf(ints(values.subarray(1, 3)), ints(values.subarray(2, 4)), ints(foreign.subarray(0, 2)));
  const { result: shipped, transfer, returned } = toTransferableResult(part, scratch);
  expect(returned).toEqual([block.buffer]);
  expect(transfer).toHaveLength(2);
  const received = structuredClone({ shipped, returned }, { transfer });
  expect(received.shipped).toEqual(
    partOf(ints(Int32Array.of(2, 3)), ints(Int32Array.of(3, 4)), ints(Int32Array.of(5, 6))),
  );
  expect(values.length).toBe(0);
  expect([...foreign]).toEqual([5, 6, 7]);
  // What comes back is what the columns lie in.
  const [{ columns }] = received.shipped.kind === "batches" ? received.shipped.batches : [];
  const [column] = columns;
  expect(column.layout === "primitive" && column.values.buffer).toBe(received.returned[0]);
});

test("dictionaries stay behind, and are the receiver's own", () => {
  const dictionary: Column = {
    layout: "variable",
    type: { id: "Utf8" },
    length: 2,
    validity: null,
    offsets: Int32Array.of(0, 1, 2),
    bytes: new TextEncoder().encode("ab"),
  };
  const column: Column = {
    layout: "dictionary",
    type: { id: "Dictionary", index: { id: "Int", bits: 8, signed: true }, value: UTF8, ordered: false },
    length: 3,
    validity: { bitmap: Uint8Array.of(0b101), nullCount: 1 },
    indices: Int8Array.of(1, 0, 0),
    dictionary,
  };
  const received = withDictionaries(sent(partOf(column)), [dictionary]);
  expect(received).toEqual(
    partOf({ ...column, indices: Int8Array.of(1, 0, 0), validity: { bitmap: Uint8Array.of(5), nullCount: 1 } }),
  );
  const [{ columns }] = received.kind === "batches" ? received.batches : [];
  expect(columns[0].layout === "dictionary" && columns[0].dictionary === dictionary).toBe(true);
  expect(dictionary.length).toBe(2);
});
