/** Places in a file that mean something to its format, so that changes can be aimed at what they mean. */

/** A number in the bytes. */
export interface Field {
  readonly start: number;
  readonly width: number;
  readonly coding: "little" | "big" | "varint";
  /**
   * What the number stands for: an object that links lead to, another place in the file, a size in bytes, a number of
   * values, or which kind of thing follows. Fields of one role may take each other's values.
   */
  readonly role: "object" | "address" | "size" | "count" | "tag";
}

export interface Structure {
  readonly fields: readonly Field[];
  /** Where structures begin, in order. */
  readonly borders: readonly number[];
  /** Where Parquet's footer begins: what is longer in it lengthens it. */
  readonly footer?: number;
}

export const NO_STRUCTURE: Structure = { fields: [], borders: [] };

export function field(
  start: number,
  width: number,
  role: Field["role"],
  coding: Exclude<Field["coding"], "varint"> = "little",
): Field {
  return { start, width, role, coding };
}

/** Fields that lie in the bytes, the borders in order. */
export function structure(fields: readonly Field[], borders: readonly number[], length: number): Structure {
  return {
    fields: fields.filter(({ start, width }) => start >= 0 && start + width <= length),
    borders: [...new Set(borders)].filter((at) => at >= 0 && at < length).sort((a, b) => a - b),
  };
}

export function numberIn(bytes: Uint8Array, { start, width, coding }: Field): bigint {
  let value = 0n;
  for (let i = 0; i < width; i++) {
    const byte = BigInt(bytes[start + i] ?? 0);
    if (coding === "big") value = (value << 8n) | byte;
    else value |= coding === "varint" ? (byte & 0x7fn) << BigInt(7 * i) : byte << BigInt(8 * i);
  }
  return value;
}

/** What of `value` fits into the field. */
export function bytesOfValue({ width, coding }: Pick<Field, "width" | "coding">, value: bigint): number[] {
  const bits = coding === "varint" ? 7 : 8;
  const bytes = Array.from({ length: width }, (_, i) => {
    const part = Number((value >> BigInt(bits * i)) & (2n ** BigInt(bits) - 1n));
    return coding === "varint" && i < width - 1 ? part | 0x80 : part;
  });
  return coding === "big" ? bytes.reverse() : bytes;
}
