/**
 * h5wasm's description of a type as ours. It says less than the file does: an integer's precision, a float's format
 * and enum values beyond 32 bits are missing.
 */

import type { Metadata } from "h5wasm";
import type { Datatype, IntegerDatatype } from "../../../src/containers/hdf5/types/datatype.js";
import { getMemoryType } from "../../../src/containers/hdf5/types/memory-layout.js";
import { InvalidDataError, UnsupportedError } from "../../../src/model/errors.js";

/** The type as values of it lie in memory after a read. */
export function memoryTypeOf(metadata: Metadata): Datatype {
  return getMemoryType(convert(metadata));
}

export function shapeOf(metadata: Metadata): readonly number[] | null {
  return metadata.shape === null ? null : Array.from(metadata.shape);
}

const IEEE_SIZES = [2, 4, 8];

function convert(metadata: Metadata): Datatype {
  const { type, size } = metadata;
  switch (type) {
    case 0:
    case 4:
      return integer(metadata);
    case 1: {
      const odd = IEEE_SIZES.includes(size) ? null : `float of ${size} bytes`;
      return { class: "float", size, bigEndian: !metadata.littleEndian, odd, parts: null };
    }
    case 3: {
      const encoding = metadata.cset === 0 ? "ascii" : "utf-8";
      if (metadata.vlen) return { class: "variable-string", size, encoding, bigEndian: !metadata.littleEndian };
      const padding = metadata.strpad === 0 ? "nullterm" : metadata.strpad === 1 ? "nullpad" : "spacepad";
      return { class: "fixed-string", size, padding, encoding };
    }
    case 5:
      return { class: "opaque", size };
    case 6: {
      const members = metadata.compound_type?.members ?? [];
      return {
        class: "compound",
        size,
        members: Array.from(members, (member) => ({
          name: member.name,
          offset: member.offset,
          type: convert(member),
        })),
      };
    }
    case 7:
      return { class: "reference", size, target: metadata.ref_type === "object" && size === 8 ? "object" : "other" };
    case 8: {
      const members = Object.entries(metadata.enum_type?.members ?? {});
      return {
        class: "enum",
        size,
        base: integer(metadata),
        members: members.map(([name, value]) => ({ name, value })),
      };
    }
    case 9:
      return { class: "sequence", size, base: convert(required(metadata.vlen_type)) };
    case 10: {
      const base = required(metadata.array_type);
      return { class: "array", size, shape: Array.from(base.shape ?? []), base: convert(base) };
    }
    default:
      throw new UnsupportedError(`HDF5 datatype class ${type}`);
  }
}

function integer({ size, littleEndian, signed }: Metadata): IntegerDatatype {
  return { class: "integer", size, bigEndian: !littleEndian, signed, bitOffset: 0, precision: 8 * size };
}

function required(metadata: Metadata | undefined): Metadata {
  if (metadata === undefined) throw new InvalidDataError("datatype without a base");
  return metadata;
}
