/** The shape of an array or attribute. Source: HDF5 File Format Specification, IV.A.2.b. */

import { ByteBuilder } from "./byte-builder.js";

/** @param shape null for a null dataspace. `extendable`: the first dimension has no limit. */
export function dataspaceMessage(shape: readonly number[] | null, extendable = false): Uint8Array {
  const out = new ByteBuilder(8 + 16 * (shape?.length ?? 0));
  // Version 1 has no null dataspace.
  if (shape === null) return out.u8(2, 0, 0, 2).finish();
  out.u8(1, shape.length, extendable ? 1 : 0).zeros(5);
  for (const size of shape) out.u64(size);
  if (extendable) for (const [d, size] of shape.entries()) out.address(d === 0 ? null : size);
  return out.finish();
}
