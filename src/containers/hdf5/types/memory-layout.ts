/**
 * libhdf5's memory layout for values that are read in the file's own type, as this library's adapter does. Pointers
 * replace heap references, and big-endian values become little-endian, with exceptions.
 */

import { countElements } from "../../../model/stored.js";
import type { CompoundMember, Datatype, EnumDatatype } from "./datatype.js";

/** A WebAssembly pointer has 4 bytes. A sequence consists of a length and a pointer. */
const POINTER_BYTES = 4;
const SEQUENCE_BYTES = 8;

/** Returns the type that values of `type` have in the library's memory after a read. */
export function getMemoryType(type: Datatype): Datatype {
  const sized = withPointers(type);
  return byteOrder(sized) === "big" ? toLittle(sized).type : sized;
}

function withPointers(type: Datatype): Datatype {
  switch (type.class) {
    case "variable-string":
      return { ...type, size: POINTER_BYTES };
    case "sequence":
      return { ...type, size: SEQUENCE_BYTES, base: withPointers(type.base) };
    case "array": {
      const base = withPointers(type.base);
      return { ...type, base, size: base.size * countElements(type.shape) };
    }
    case "compound": {
      // The gaps between members are kept. Each member moves by the number of bytes that the previous members have
      // shrunk.
      let moved = 0;
      const members = new Map<CompoundMember, CompoundMember>();
      for (const member of [...type.members].sort((a, b) => a.offset - b.offset)) {
        const changed = withPointers(member.type);
        members.set(member, { name: member.name, offset: member.offset + moved, type: changed });
        moved += changed.size - member.type.size;
      }
      return { ...type, size: type.size + moved, members: type.members.map((m) => members.get(m) ?? m) };
    }
    case "integer":
    case "float":
    case "fixed-string":
    case "opaque":
    case "reference":
    case "enum":
    case "complex":
    case "other":
      return type;
    default:
      return type satisfies never;
  }
}

type Order = "little" | "big" | "none" | "mixed";

/** Returns the same byte order as `H5Tget_order`. */
function byteOrder(type: Datatype): Order {
  switch (type.class) {
    case "integer":
    case "float":
    case "variable-string":
      return type.bigEndian ? "big" : "little";
    case "enum":
      return type.base.bigEndian ? "big" : "little";
    case "array":
    case "sequence":
    case "complex":
      return byteOrder(type.base);
    case "compound": {
      const orders = new Set(type.members.map((member) => byteOrder(member.type)));
      orders.delete("none");
      const [only = "none"] = orders;
      return orders.size > 1 ? "mixed" : only;
    }
    case "fixed-string":
    case "opaque":
    case "reference":
    case "other":
      return "none";
    default:
      return type satisfies never;
  }
}

interface Changed {
  readonly type: Datatype;
  /** False if `H5Tset_order` stops at an enum, and leaves the following members unchanged. */
  readonly complete: boolean;
}

function toLittle(type: Datatype): Changed {
  switch (type.class) {
    case "integer":
    case "float":
    case "variable-string":
      return { type: { ...type, bigEndian: false }, complete: true };
    case "enum":
      return { type, complete: false };
    case "array":
    case "sequence":
    case "complex":
      return { type: { ...type, base: littleBase(type.base) }, complete: true };
    case "compound": {
      const members: CompoundMember[] = [];
      let complete = true;
      for (const member of type.members) {
        const changed: Changed = complete ? toLittle(member.type) : { type: member.type, complete };
        complete = changed.complete;
        members.push({ ...member, type: changed.type });
      }
      return { type: { ...type, members }, complete };
    }
    case "fixed-string":
    case "opaque":
    case "reference":
    case "other":
      return { type, complete: true };
    default:
      return type satisfies never;
  }
}

/**
 * Changes a base type to little-endian. Inside an array or sequence, `H5Tset_order` does change the integer type of an
 * enum.
 */
function littleBase(type: Datatype): Datatype {
  if (type.class !== "enum") return toLittle(type).type;
  const changed: EnumDatatype = { ...type, base: { ...type.base, bigEndian: false } };
  return changed;
}
