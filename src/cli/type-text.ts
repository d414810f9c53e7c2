/** Arrow types in few letters, for people. */

import { DataType, TimeUnit } from "apache-arrow";

const UNITS: Readonly<Record<TimeUnit, string>> = {
  [TimeUnit.SECOND]: "s",
  [TimeUnit.MILLISECOND]: "ms",
  [TimeUnit.MICROSECOND]: "us",
  [TimeUnit.NANOSECOND]: "ns",
};

/** `int32`, `float32[50]`, `dict<utf8>`, `list<{index: int32, value: float32}>`. */
export function typeText(type: DataType): string {
  if (DataType.isDictionary(type)) return `dict<${typeText(type.dictionary)}>`;
  if (DataType.isFixedSizeList(type)) {
    const inner = type.children[0].type;
    return `${typeText(inner)}[${type.listSize}]`;
  }
  if (DataType.isList(type) || DataType.isLargeList(type)) return `list<${typeText(type.children[0].type)}>`;
  if (DataType.isStruct(type)) return `{${fieldsText(type)}}`;
  if (DataType.isUnion(type)) return `union<${type.children.map((child) => typeText(child.type)).join(" | ")}>`;
  if (DataType.isTimestamp(type)) return `timestamp[${UNITS[type.unit]}]`;
  if (DataType.isDuration(type)) return `duration[${UNITS[type.unit]}]`;
  return String(type).toLowerCase();
}

const fieldsText = (type: DataType) =>
  (type.children ?? []).map((child) => `${child.name}: ${typeText(child.type)}`).join(", ");

/** Bytes of one value in memory; null where that depends on the value. */
export function valueBytes(type: DataType): number | null {
  if (DataType.isDictionary(type)) return type.indices.bitWidth / 8;
  if (DataType.isInt(type)) return type.bitWidth / 8;
  if (DataType.isFloat(type)) return 2 ** (type.precision + 1);
  if (DataType.isBool(type)) return 1 / 8;
  if (DataType.isNull(type)) return 0;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return 8;
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth;
  if (DataType.isFixedSizeList(type)) {
    const inner = valueBytes(type.children[0].type);
    return inner === null ? null : inner * type.listSize;
  }
  if (!DataType.isStruct(type)) return null;
  return type.children.reduce<number | null>((sum, child) => {
    const inner = valueBytes(child.type);
    return sum === null || inner === null ? null : sum + inner;
  }, 0);
}
