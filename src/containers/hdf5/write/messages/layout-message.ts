/** Where an array's data lie. Source: HDF5 File Format Specification, IV.A.2.i, version 3. */

import { ByteBuilder } from "../space/byte-builder.js";

export type WrittenLayout =
  | { readonly kind: "compact"; readonly bytes: Uint8Array }
  | { readonly kind: "contiguous"; readonly address: number | null; readonly bytes: number }
  | {
      readonly kind: "chunked";
      readonly chunk: readonly number[];
      readonly elementBytes: number;
      /** Null where there are no chunks. */
      readonly tree: number | null;
    };

export function layoutMessage(layout: WrittenLayout): Uint8Array {
  const out = new ByteBuilder();
  switch (layout.kind) {
    case "compact":
      return out.u8(3, 0).u16(layout.bytes.length).bytes(layout.bytes).finish();
    case "contiguous":
      return out.u8(3, 1).address(layout.address).u64(layout.bytes).finish();
    case "chunked":
      out.u8(3, 2, layout.chunk.length + 1).address(layout.tree);
      for (const size of layout.chunk) out.u32(size);
      return out.u32(layout.elementBytes).finish();
    default:
      return layout satisfies never;
  }
}
