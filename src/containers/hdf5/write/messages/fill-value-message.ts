/** What elements read as that were never written: zeros. Source: HDF5 File Format Specification, IV.A.2.f. */

import { ByteBuilder } from "../space/byte-builder.js";

/** When the space is allocated, as libhdf5 chooses it for each layout. */
const ALLOCATION = { compact: 1, contiguous: 2, chunked: 3 } as const;

/** @param variable whether elements point into a heap: of these the fill value is always written. */
export function fillValueMessage(layout: keyof typeof ALLOCATION, variable: boolean): Uint8Array {
  return new ByteBuilder(8)
    .u8(2, ALLOCATION[layout], variable ? 0 : 2, 1)
    .u32(0)
    .finish();
}
