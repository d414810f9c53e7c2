/** Arrays that BPCells packed, beside the values that went in (test/fixtures/bpcells/make_bp128.py). */

import { readFileSync } from "node:fs";
import type { Bp128Kind } from "../../../src/kernels/bp128/page.js";
import type { PackedParts } from "./packed-array.js";

type Extent = readonly [from: number, bytes: number];
type Listing = Record<
  string,
  { kind: Bp128Kind; values: Extent; data: Extent; idx: Extent; idx_offsets: Extent; starts?: Extent }
>;

export interface PackedByBpcells {
  readonly name: string;
  readonly kind: Bp128Kind;
  readonly values: Uint32Array;
  readonly parts: PackedParts & { readonly offsets: BigUint64Array };
}

const folder = "test/fixtures/data/bp128";

export function packedByBpcells(): PackedByBpcells[] {
  const bytes = readFileSync(`${folder}/arrays.bin`);
  const listing: Listing = JSON.parse(readFileSync(`${folder}/arrays.json`, "utf8"));
  const copy = ([from, length]: Extent) => Uint8Array.from(bytes.subarray(from, from + length)).buffer;
  return Object.entries(listing).map(([name, { kind, values, data, idx, idx_offsets, starts }]) => ({
    name,
    kind,
    values: new Uint32Array(copy(values)),
    parts: {
      data: new Uint32Array(copy(data)),
      idx: new Uint32Array(copy(idx)),
      offsets: new BigUint64Array(copy(idx_offsets)),
      starts: starts === undefined ? null : new Uint32Array(copy(starts)),
    },
  }));
}
