/** Arrow types in few letters, for people. */

import { type ArrowField, type ArrowType, estimatedSize, isVariable, typeText } from "../arrow/type.js";

/** `int32`, `float32[50]`, `dict<utf8>`, `list<{index: int32, value: float32}>`. */
export function shortType(type: ArrowType): string {
  switch (type.id) {
    case "Dictionary":
      return `dict<${shortType(type.value)}>`;
    case "FixedSizeList":
      return `${shortType(type.item.type)}[${type.size}]`;
    case "List":
      return `list<${shortType(type.item.type)}>`;
    case "Struct":
      return `{${fieldsText(type.fields)}}`;
    case "DenseUnion":
      return `union<${type.fields.map((child) => shortType(child.type)).join(" | ")}>`;
    case "Timestamp":
    case "Duration":
      return `${type.id.toLowerCase()}[${type.unit}]`;
    case "Null":
    case "Bool":
    case "Int":
    case "Float":
    case "Utf8":
    case "Binary":
    case "FixedSizeBinary":
      return typeText(type).toLowerCase();
    default:
      return type satisfies never;
  }
}

const fieldsText = (fields: readonly ArrowField[]) =>
  fields.map((child) => `${child.name}: ${shortType(child.type)}`).join(", ");

/** Bytes of one value in memory; null where that depends on the value. */
export function valueBytes(type: ArrowType): number | null {
  return isVariable(type) ? null : estimatedSize(type);
}
