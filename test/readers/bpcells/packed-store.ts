/** A packed matrix as the files of a directory. */

import type { Bp128Kind } from "../../../src/kernels/bp128/page.js";
import { createBp128Pages } from "../../../src/kernels/bp128/pages.js";
import { packArray } from "../../kernels/bp128/pack-array.js";
import { numberFile, text } from "./stores.js";

const [page] = await createBp128Pages(1);

export interface Entries {
  readonly shape: readonly [number, number];
  readonly order: "row" | "col";
  /** One more than there are major positions. */
  readonly idxptr: readonly number[];
  readonly index: Uint32Array;
  readonly val: Uint32Array | Float64Array;
}

/** Files of version 2; values that are no integers are not packed. */
export function packedStore({ shape, order, idxptr, index, val }: Entries): Map<string, Uint8Array> {
  const isDouble = val instanceof Float64Array;
  return new Map([
    ["version", text(`packed-${isDouble ? "double" : "uint"}-matrix-v2\n`)],
    ["storage_order", text(`${order}\n`)],
    ["shape", numberFile("UINT32v1", Uint32Array.from(shape))],
    ["idxptr", numberFile("UINT64v1", BigUint64Array.from(idxptr, BigInt))],
    ["row_names", text("")],
    ["col_names", text("")],
    ...packed("index", "d1z", index),
    ...(isDouble ? ([["val", numberFile("DOUBLEv1", val)]] as const) : packed("val", "m1", val)),
  ]);
}

function packed(name: string, kind: Bp128Kind, values: Uint32Array): (readonly [string, Uint8Array])[] {
  const { data, idx, starts, offsets } = packArray(page, kind, values);
  return [
    [`${name}_data`, numberFile("UINT32v1", data)],
    [`${name}_idx`, numberFile("UINT32v1", idx)],
    [`${name}_idx_offsets`, numberFile("UINT64v1", offsets)],
    ...(kind === "d1z" ? ([[`${name}_starts`, numberFile("UINT32v1", starts)]] as const) : []),
  ];
}

/** `row, col, value` of all entries, in stored order. */
export function coordinates({ order, idxptr, index, val }: Entries): readonly [number, number, number][] {
  const entries: [number, number, number][] = [];
  for (let major = 0; major + 1 < idxptr.length; major++) {
    for (let at = idxptr[major]; at < idxptr[major + 1]; at++) {
      entries.push(order === "row" ? [major, index[at], val[at]] : [index[at], major, val[at]]);
    }
  }
  return entries;
}
