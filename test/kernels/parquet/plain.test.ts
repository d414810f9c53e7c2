import { expect, test } from "vitest";
import { PageBuffer } from "../../../src/kernels/parquet/page-buffer.js";
import { encodePlainTexts, encodePlainWords } from "../../../src/kernels/parquet/plain.js";

test("words are taken as they lie", () => {
  expect([...encodePlainWords(Int32Array.of(1, -2))]).toEqual([1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
});

test("texts have their length in front", () => {
  const out = new PageBuffer(1);
  encodePlainTexts(Int32Array.of(1, 3, 3, 4), Uint8Array.of(9, 97, 98, 99), 3, out);
  expect([...out.written()]).toEqual([2, 0, 0, 0, 97, 98, 0, 0, 0, 0, 1, 0, 0, 0, 99]);
});
