/** The parts of a packed array under the names that all packed arrays have. */

import { type Bp128Parts, bp128Array } from "../../../containers/bp128/bp128-array.js";
import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { type Bp128Kind, CHUNK, chunkCount, hasStarts } from "../../../kernels/bp128/page.js";
import { lengthOf, openNumbers, type StoreContext, UINT32, UINT64 } from "./typed-array.js";
import type { StoreVersion } from "./version.js";

export interface PackedName {
  readonly group: Group;
  readonly name: string;
  readonly kind: Bp128Kind;
  readonly count: number;
  readonly version: StoreVersion;
  /** Every value must be less. */
  readonly limit?: number | undefined;
}

/**
 * The array of `count` values that is packed in `<name>_data`, `_idx` and so on.
 * @throws {NotFoundError} where a part is missing.
 * @throws {InvalidDataError} where the parts do not fit together.
 */
export async function packedArray(wanted: PackedName, cx: StoreContext): Promise<StoredArray> {
  return (await openPacked(wanted, cx)).array;
}

/** An array with the bits that one of its values takes as it is stored, to a thousandth; the last chunk counts as full. */
export interface MeasuredArray {
  readonly array: StoredArray;
  readonly bits: number;
}

/** The same with its parts. */
export async function openPacked(
  { group, name, kind, count, version, limit }: PackedName,
  cx: StoreContext,
): Promise<MeasuredArray & { readonly parts: Bp128Parts }> {
  const path = group.path === "" ? name : `${group.path}/${name}`;
  const data = await openNumbers(group, `${name}_data`, UINT32, cx);
  const idx = await openNumbers(group, `${name}_idx`, UINT32, cx);
  const offsets = version.number === 1 ? null : await openNumbers(group, `${name}_idx_offsets`, UINT64, cx);
  const starts = hasStarts(kind) ? await openNumbers(group, `${name}_starts`, UINT32, cx) : null;
  const parts = { data, idx, offsets, starts };
  const options = limit === undefined ? cx.options : { ...cx.options, limit };
  const array = await bp128Array(path, kind, count, parts, options);
  const bits = count === 0 ? 0 : Math.round((1000 * 32 * lengthOf(data)) / (CHUNK * chunkCount(count))) / 1000;
  return { array, bits, parts };
}

/** An array of numbers that is not packed. */
export function unpacked(array: StoredArray): MeasuredArray {
  const { type } = array;
  return { array, bits: type.kind === "int" || type.kind === "float" ? type.bits : 0 };
}
