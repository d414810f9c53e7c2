import { expect, test } from "vitest";
import { NO_HEAP } from "../../../src/containers/hdf5/heaps/heap.js";
import { decodeAttributeValue } from "../../../src/containers/hdf5/objects/attribute.js";
import { parseDatatype } from "../../../src/containers/hdf5/types/datatype-message.js";
import { InvalidDataError } from "../../../src/model/errors.js";

/** A signed integer of one byte. */
const INT8 = Uint8Array.of(0x10, 8, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0);
const NOTHING = new Uint8Array(0);

test("shapes without values are lists of empty lists", () => {
  const type = parseDatatype(INT8);
  expect(decodeAttributeValue(type, [0, 4], NOTHING, NO_HEAP)).toEqual([]);
  expect(decodeAttributeValue(type, [2, 3, 0], NOTHING, NO_HEAP)).toEqual([
    [[], [], []],
    [[], [], []],
  ]);
});

test("shapes without values cannot ask for any number of empty lists", () => {
  const type = parseDatatype(INT8);
  expect(() => decodeAttributeValue(type, [60_000, 60_000, 0], NOTHING, NO_HEAP)).toThrow(InvalidDataError);
  expect(() => decodeAttributeValue(type, [60_000, 60_000, 0, 7], NOTHING, NO_HEAP)).toThrow(/60000 x 60000 x 0 x 7/);
});

test("a compound has members, as libhdf5 demands", () => {
  const compound = Uint8Array.of(0x16, 0, 0, 0, 8, 0, 0, 0);
  expect(() => parseDatatype(compound)).toThrow(/compound type has no members/);
});

test("an array type has at most 32 dimensions, as libhdf5 demands", () => {
  const array = (rank: number) =>
    Uint8Array.of(0x3a, 0, 0, 0, 1, 0, 0, 0, rank, ...Array(rank).fill([1, 0, 0, 0]).flat(), ...INT8);
  expect(parseDatatype(array(32))).toMatchObject({ class: "array", shape: Array(32).fill(1) });
  expect(() => parseDatatype(array(33))).toThrow(/array type has 33 dimensions; at most 32 are legal/);
});

test("members of a compound hold at least one value", () => {
  const u32 = (...values: number[]) => [...new Uint8Array(Uint32Array.from(values).buffer)];
  const member = [..."a\0\0\0\0\0\0\0"].map((char) => char.charCodeAt(0));
  const compound = (size: number) =>
    Uint8Array.of(0x16, 1, 0, 0, ...u32(8), ...member, ...u32(0), 2, 0, 0, 0, ...u32(0, 0, 2, size, 0, 0), ...INT8);
  expect(parseDatatype(compound(4))).toMatchObject({ class: "compound", members: [{ type: { shape: [2, 4] } }] });
  expect(() => parseDatatype(compound(0))).toThrow(/compound member of shape 2 x 0 holds nothing/);
});
