/** The shape of an array or attribute. Source: HDF5 File Format Specification, IV.A.2.b. */

import { ByteBuilder } from "../space/byte-builder.js";

/** @param shape null for a null dataspace. `extendable`: the dimensions that have no limit. */
export function dataspaceMessage(shape: readonly number[] | null, extendable: readonly number[] = []): Uint8Array {
  const out = new ByteBuilder(8 + 16 * (shape?.length ?? 0));
  // Version 1 has no null dataspace.
  if (shape === null) return out.u8(2, 0, 0, 2).finish();
  const limited = extendable.length > 0;
  out.u8(1, shape.length, limited ? 1 : 0).zeros(5);
  for (const size of shape) out.u64(size);
  if (limited) for (const [d, size] of shape.entries()) out.address(extendable.includes(d) ? null : size);
  return out.finish();
}
