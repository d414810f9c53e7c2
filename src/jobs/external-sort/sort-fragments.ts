/** Sorts any number of fragments by chromosome and start, within a memory budget. */

import type { Column, ColumnBatch, PrimitiveColumn, StructColumn } from "../../arrow/column.js";
import { createField, INT32 } from "../../arrow/type.js";
import type { FragmentRows } from "../../kernels/fragments/rows.js";
import { UnsupportedError } from "../../model/errors.js";
import { type SortOptions, sortCoordinates } from "./sort-coordinates.js";

/**
 * Sorts fragments by chromosome number, then by start. Fragments that are equal in both keep their order.
 * @returns rows in new memory; no rows if there are no fragments.
 * @throws the same errors as `sortCoordinates`.
 */
export async function* sortFragments(
  rows: AsyncIterable<FragmentRows>,
  options: Omit<SortOptions, "order" | "shape">,
): AsyncGenerator<FragmentRows> {
  const sorted = sortCoordinates(coordinates(rows), { ...options, order: "row", shape: [2 ** 31, 2 ** 31] });
  for await (const batch of sorted) if (batch.length > 0) yield fragments(batch);
}

/**
 * Range of chromosomes that are mapped alike. Chromosome and start are mapped to a pair of 31-bit numbers with the same
 * sort order: the major number is the chromosome followed by the upper bits of the start, and the minor number is the
 * lower bits. The sort divides the range of major numbers evenly, and the number of chromosomes is unknown until the
 * last fragment. Therefore the first 64 chromosomes, which are usually the only ones, get half of the range.
 */
interface Zone {
  /** Chromosomes [first, end). */
  readonly first: number;
  readonly end: number;
  /** Major number of start 0 on the first chromosome. */
  readonly base: number;
  /** Number of bits of the start that are stored in the minor number. */
  readonly shift: number;
}

const ZONES: readonly Zone[] = [
  { first: 0, end: 2 ** 6, base: 0, shift: 8 },
  { first: 2 ** 6, end: 2 ** 6 + 2 ** 12, base: 2 ** 30, shift: 15 },
  { first: 2 ** 6 + 2 ** 12, end: 2 ** 28, base: 2 ** 30 + 2 ** 29, shift: 31 },
];

/**
 * Returns the zone of a chromosome.
 * @throws {UnsupportedError} if there are more than 2^28 chromosomes.
 */
function zoneOf(chr: number): Zone {
  for (const zone of ZONES) if (chr < zone.end) return zone;
  throw new UnsupportedError(`chromosome ${chr}: fragments of at most ${2 ** 28} can be sorted`);
}

async function* coordinates(rows: AsyncIterable<FragmentRows>): AsyncGenerator<ColumnBatch> {
  for await (const { length, chr, start, end, cell, count } of rows) {
    const [major, minor] = [new Int32Array(length), new Int32Array(length)];
    let zone = ZONES[0];
    for (let i = 0; i < length; i++) {
      if (chr[i] < zone.first || chr[i] >= zone.end) zone = zoneOf(chr[i]);
      const { first, base, shift } = zone;
      major[i] = base + (chr[i] - first) * 2 ** (32 - shift) + (start[i] >>> shift);
      minor[i] = start[i] & (2 ** shift - 1);
    }
    const values = [end, cell, ...(count === null ? [] : [count])];
    yield { length, columns: [integers(major), integers(minor), struct(values, length)] };
  }
}

function fragments({ length, columns }: ColumnBatch): FragmentRows {
  const [major, minor] = columns.slice(0, 2).map(valuesOf);
  const [chr, start] = [new Uint32Array(length), new Uint32Array(length)];
  let at = 0;
  for (let i = 0; i < length; i++) {
    while (at + 1 < ZONES.length && major[i] >= ZONES[at + 1].base) at++;
    const { first, base, shift } = ZONES[at];
    const own = major[i] - base;
    chr[i] = first + Math.floor(own / 2 ** (32 - shift));
    start[i] = ((own << shift) | minor[i]) >>> 0;
  }
  const [end, cell, count = null] = childrenOf(columns[2]).map(valuesOf);
  return { length, chr, start, end, cell, count };
}

function integers(values: Int32Array | Uint32Array): PrimitiveColumn {
  const type = values instanceof Int32Array ? INT32 : ({ id: "Int", bits: 32, signed: false } as const);
  return { layout: "primitive", type, length: values.length, validity: null, values };
}

function struct(values: readonly Uint32Array[], length: number): StructColumn {
  const children = values.map(integers);
  const type = { id: "Struct", fields: children.map((child, i) => createField(String(i), child.type, false)) } as const;
  return { layout: "struct", type, length, validity: null, children };
}

function childrenOf(column: Column): readonly Column[] {
  if (column.layout !== "struct") throw new TypeError("a struct was sorted");
  return column.children;
}

function valuesOf(column: Column): Uint32Array {
  if (column.layout !== "primitive") throw new TypeError("integers were sorted");
  const { buffer, byteOffset, length } = column.values;
  return new Uint32Array(buffer, byteOffset, length);
}
