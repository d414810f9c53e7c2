/** Columns and buffers without rows. */

import type { NumberArray } from "../model/stored.js";
import type { Column } from "./column.js";
import type { ArrowInt, ArrowType } from "./type.js";

/** A column of `type` without rows, and with empty dictionaries. */
export function emptyColumn(type: ArrowType): Column {
  const base = { length: 0, validity: null };
  switch (type.id) {
    case "Null":
      return { ...base, layout: "null", type };
    case "Bool":
    case "FixedSizeBinary":
      return { ...base, layout: "primitive", type, values: new Uint8Array() };
    case "Int":
    case "Float":
      return { ...base, layout: "primitive", type, values: emptyNumbers(type) };
    case "Timestamp":
    case "Duration":
      return { ...base, layout: "primitive", type, values: new BigInt64Array() };
    case "Utf8":
    case "Binary":
      return { ...base, layout: "variable", type, offsets: new Int32Array(1), bytes: new Uint8Array() };
    case "List":
      return { ...base, layout: "list", type, offsets: new Int32Array(1), child: emptyColumn(type.item.type) };
    case "FixedSizeList":
      return { ...base, layout: "fixed-size-list", type, child: emptyColumn(type.item.type) };
    case "Struct":
      return { ...base, layout: "struct", type, children: type.fields.map((one) => emptyColumn(one.type)) };
    case "Dictionary":
      return {
        ...base,
        layout: "dictionary",
        type,
        indices: emptyNumbers(type.index),
        dictionary: emptyColumn(type.value),
      };
    case "DenseUnion": {
      const children = type.fields.map((one) => emptyColumn(one.type));
      return { ...base, layout: "union", type, typeIds: new Int8Array(), offsets: new Int32Array(), children };
    }
    default:
      return type satisfies never;
  }
}

/** The typed array in which values of a primitive type lie, without any. */
export function emptyNumbers(type: ArrowType): NumberArray {
  switch (type.id) {
    case "Int":
      return integers(type);
    case "Float":
      return type.bits === 16 ? new Uint16Array() : type.bits === 32 ? new Float32Array() : new Float64Array();
    case "Timestamp":
    case "Duration":
      return new BigInt64Array();
    default:
      return new Uint8Array();
  }
}

function integers({ bits, signed }: ArrowInt): NumberArray {
  switch (bits) {
    case 8:
      return signed ? new Int8Array() : new Uint8Array();
    case 16:
      return signed ? new Int16Array() : new Uint16Array();
    case 32:
      return signed ? new Int32Array() : new Uint32Array();
    case 64:
      return signed ? new BigInt64Array() : new BigUint64Array();
    default:
      return bits satisfies never;
  }
}
