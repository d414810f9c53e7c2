/**
 * The messages of a dataset: dataspace, fill value, filters and layout. Source: HDF5 File Format Specification,
 * IV.A.2.b, IV.A.2.f, IV.A.2.l (version 1), IV.A.2.i (version 3).
 */

import { UnsupportedError } from "../../../../model/errors.js";
import type { ChunkEncoding, EncodingStep } from "../../../tree/container-writer.js";
import type { FilterSpec } from "../../../tree/stored-chunks.js";
import { findFilterName } from "../../chunks/filters.js";
import { ByteBuilder } from "../space/byte-builder.js";

/** @param shape null for a null dataspace. `extendable`: the dimensions without a limit. */
export function encodeDataspaceMessage(
  shape: readonly number[] | null,
  extendable: readonly number[] = [],
): Uint8Array {
  const out = new ByteBuilder(8 + 16 * (shape?.length ?? 0));
  // Version 1 has no null dataspace.
  if (shape === null) return out.u8(2, 0, 0, 2).finish();
  const limited = extendable.length > 0;
  out.u8(1, shape.length, limited ? 1 : 0).zeros(5);
  for (const size of shape) out.u64(size);
  if (limited) for (const [d, size] of shape.entries()) out.address(extendable.includes(d) ? null : size);
  return out.finish();
}

/** The space allocation time that libhdf5 chooses for each layout. */
const ALLOCATION = { compact: 1, contiguous: 2, chunked: 3 } as const;

/** @param variable true if elements refer to a heap; in that case the fill value is always written. */
export function fillValueMessage(layout: keyof typeof ALLOCATION, variable: boolean): Uint8Array {
  return new ByteBuilder(8)
    .u8(2, ALLOCATION[layout], variable ? 0 : 2, 1)
    .u32(0)
    .finish();
}

interface Filter {
  readonly id: number;
  readonly name: string;
  /** True if the filter may be skipped for a chunk. */
  readonly optional: boolean;
  readonly values: readonly number[];
}

/** @throws {UnsupportedError} for steps that are not HDF5 filters. */
export function filterMessage(encoding: ChunkEncoding): Uint8Array {
  return pipelineMessage(encoding.map(filter));
}

/** Creates a message with another file's filters, unchanged. */
export function encodeCopiedFilterMessage(filters: readonly FilterSpec[]): Uint8Array {
  return pipelineMessage(
    // libhdf5 itself makes all filters except checksums optional.
    filters.map(({ id, values }) => ({ id, values, name: findFilterName(id) ?? "", optional: id !== FLETCHER32 })),
  );
}

const FLETCHER32 = 3;

function pipelineMessage(filters: readonly Filter[]): Uint8Array {
  const out = new ByteBuilder().u8(1, filters.length).zeros(6);
  for (const { id, name, optional, values } of filters) {
    const nameBytes = name === "" ? 0 : Math.ceil((name.length + 1) / 8) * 8;
    out
      .u16(id)
      .u16(nameBytes)
      .u16(optional ? 1 : 0)
      .u16(values.length);
    out.ascii(name).zeros(nameBytes - name.length);
    for (const value of values) out.u32(value);
    if (values.length % 2 === 1) out.u32(0);
  }
  return out.finish();
}

function filter(step: EncodingStep): Filter {
  switch (step.kind) {
    case "deflate":
      return { id: 1, name: "deflate", optional: true, values: [step.level] };
    case "shuffle":
      return { id: 2, name: "shuffle", optional: true, values: [step.elementBytes] };
    case "fletcher32":
      return { id: 3, name: "fletcher32", optional: false, values: [] };
    case "zstd":
    case "blosc":
    case "crc32c":
    case "gzip-part":
      throw new UnsupportedError(`${step.kind} as an HDF5 filter`);
    default:
      return step satisfies never;
  }
}

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

export function encodeLayoutMessage(layout: WrittenLayout): Uint8Array {
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
