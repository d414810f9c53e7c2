/** Which filters a dataset's chunks went through. Source: HDF5 File Format Specification, IV.A.2.l, version 1. */

import { UnsupportedError } from "../../../../model/errors.js";
import type { ChunkEncoding, EncodingStep } from "../../../tree/chunk-encoding.js";
import { ByteBuilder } from "../space/byte-builder.js";

interface Filter {
  readonly id: number;
  readonly name: string;
  /** Whether a chunk may go without. */
  readonly optional: boolean;
  readonly values: readonly number[];
}

/** @throws {UnsupportedError} for steps that are no filter of HDF5. */
export function filterMessage(encoding: ChunkEncoding): Uint8Array {
  const out = new ByteBuilder().u8(1, encoding.length).zeros(6);
  for (const step of encoding) {
    const { id, name, optional, values } = filter(step);
    const nameBytes = Math.ceil((name.length + 1) / 8) * 8;
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
      throw new UnsupportedError(`${step.kind} as an HDF5 filter`);
    default:
      return step satisfies never;
  }
}
