/** The numbers of zips, R objects, Parquet and Arrow files, and of files of numbers alone. */

import { type Field, field, NO_STRUCTURE, type Structure, structure } from "./fields.js";

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** Offsets and widths behind each signature ("APPNOTE.TXT", 4.3). */
const ZIP: ReadonlyMap<string, readonly (readonly [number, number, Field["role"]])[]> = new Map([
  [
    "PK\x03\x04",
    [
      [6, 2, "tag"],
      [8, 2, "tag"],
      [14, 4, "size"],
      [18, 4, "size"],
      [22, 4, "size"],
      [26, 2, "size"],
      [28, 2, "size"],
    ],
  ],
  [
    "PK\x01\x02",
    [
      [8, 2, "tag"],
      [10, 2, "tag"],
      [16, 4, "size"],
      [20, 4, "size"],
      [24, 4, "size"],
      [28, 2, "size"],
      [30, 2, "size"],
      [32, 2, "size"],
      [34, 2, "tag"],
      [42, 4, "address"],
    ],
  ],
  [
    "PK\x05\x06",
    [
      [4, 2, "tag"],
      [6, 2, "tag"],
      [8, 2, "count"],
      [10, 2, "count"],
      [12, 4, "size"],
      [16, 4, "address"],
      [20, 2, "size"],
    ],
  ],
  [
    "PK\x06\x06",
    [
      [4, 8, "size"],
      [24, 8, "count"],
      [32, 8, "count"],
      [40, 8, "size"],
      [48, 8, "address"],
    ],
  ],
  ["PK\x06\x07", [[8, 8, "address"]]],
]);

export function zipFields(bytes: Uint8Array): Structure {
  const records = [...latin1(bytes).matchAll(/PK../gs)].filter(({ 0: name }) => ZIP.has(name));
  const fields = records.flatMap(({ index, 0: name }) =>
    (ZIP.get(name) ?? []).map(([offset, width, role]) => field(index + offset, width, role)),
  );
  return structure(
    fields,
    records.map(({ index }) => index),
    bytes.length,
  );
}

/** Types of R that have a length behind their flags: text, vectors, lists, raw bytes. */
const WITH_LENGTH = new Set([9, 10, 13, 14, 15, 16, 19, 20, 24]);

/** An R object that is not compressed, in XDR: whatever looks like the flags of an item and a length that fits. */
export function rFields(bytes: Uint8Array): Structure {
  if (latin1(bytes.subarray(0, 2)) !== "X\n") return NO_STRUCTURE;
  const words = view(bytes);
  const fields: Field[] = [];
  const borders: number[] = [];
  for (let at = 2; at + 8 <= bytes.length; at++) {
    const flags = words.getUint32(at);
    if (flags >= 2 ** 20 || flags === 0) continue;
    const type = flags & 0xff;
    const length = words.getInt32(at + 4);
    if (WITH_LENGTH.has(type) && length >= 0 && length <= bytes.length - at) {
      fields.push(field(at, 4, "tag", "big"), field(at + 4, 4, type === 9 ? "size" : "count", "big"));
      borders.push(at);
    } else if ((type === 255 && flags >> 8 > 0) || type === 2 || type === 238) {
      fields.push(field(at, 4, "tag", "big"));
    }
  }
  return structure(fields, borders, bytes.length);
}

/** Every word of the metadata of every message, and of the footer: flatbuffers align them. */
export function arrowFields(bytes: Uint8Array): Structure {
  const words = view(bytes);
  const fields: Field[] = [];
  const borders: number[] = [];
  const metadata = (start: number, end: number) => {
    for (let at = start; at + 8 <= end; at += 4) {
      fields.push(field(at, 4, words.getUint32(at, true) < 256 ? "count" : "size"));
      fields.push(field(at + 2 * (at % 8 === 0 ? 0 : 1), 2, "tag"));
      if (at % 8 === 0) fields.push(field(at, 8, "size"));
    }
  };
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    if (words.getUint32(at, true) !== 0xffffffff) continue;
    const length = words.getInt32(at + 4, true);
    if (length < 8 || at + 8 + length > bytes.length) continue;
    borders.push(at, at + 8 + length);
    fields.push(field(at + 4, 4, "size"));
    metadata(at + 8, at + 8 + length);
    at += Math.floor(length / 8) * 8;
  }
  if (latin1(bytes.subarray(-6)) === "ARROW1") {
    const end = bytes.length - 10;
    fields.push(field(end, 4, "size"));
    const start = end - words.getInt32(end, true);
    if (start > 0) metadata(start, end);
    borders.push(start, end);
  }
  return structure(fields, borders, bytes.length);
}

/** Numbers of the footer and of the page headers, in Thrift's compact protocol. */
export function parquetFields(bytes: Uint8Array): Structure {
  const end = bytes.length - 8;
  const start = end < 0 ? -1 : end - view(bytes).getInt32(end, true);
  if (start < 4 || start >= end) return NO_STRUCTURE;
  const fields: Field[] = [field(end, 4, "size")];
  const borders = [start, end];
  const footer: ThriftNumber[] = [];
  thriftStruct(bytes, start, end, 0, footer);
  fields.push(...footer.map(({ field }) => field));
  for (const { value } of footer) {
    const header: ThriftNumber[] = [];
    const place = Number(value);
    if (place < 4 || place >= start || thriftStruct(bytes, place, start, 0, header) === null) continue;
    // A page header begins with its type and two sizes.
    if (header.length < 4 || header[0].value > 3n) continue;
    borders.push(place);
    fields.push(...header.map(({ field }) => field));
  }
  return { ...structure(fields, borders, bytes.length), footer: start };
}

interface ThriftNumber {
  readonly field: Field;
  /** As zigzag has it. */
  readonly value: bigint;
}

/** Where the struct ends; null where there is none. */
function thriftStruct(
  bytes: Uint8Array,
  from: number,
  end: number,
  depth: number,
  found: ThriftNumber[],
): number | null {
  let at = from;
  const number = (role: Field["role"], zigzag: boolean): bigint | null => {
    const start = at;
    let raw = 0n;
    while (at < end && at - start < 10) {
      raw |= BigInt(bytes[at] & 0x7f) << BigInt(7 * (at - start));
      if (bytes[at++] < 0x80) {
        const value = zigzag ? (raw >> 1n) ^ -(raw & 1n) : raw;
        found.push({ field: { start, width: at - start, coding: "varint", role }, value });
        return value;
      }
    }
    return null;
  };
  const skip = (type: number): boolean => {
    switch (type) {
      case 1:
      case 2:
        return true;
      case 3:
        at++;
        return at <= end;
      case 4:
      case 5:
      case 6:
        return number("size", true) !== null;
      case 7:
        at += 8;
        return at <= end;
      case 8: {
        const length = number("size", false);
        at += Number(length ?? 0);
        return length !== null && at <= end;
      }
      case 9:
      case 10: {
        found.push({ field: field(at, 1, "tag"), value: 0n });
        const head = bytes[at++];
        const length = head >> 4 === 15 ? Number(number("count", false) ?? -1) : head >> 4;
        if (length < 0 || length > end - at) return false;
        for (let i = 0; i < length; i++) if (!skip(head & 15)) return false;
        return true;
      }
      case 12: {
        const after = depth > 16 ? null : thriftStruct(bytes, at, end, depth + 1, found);
        at = after ?? end + 1;
        return after !== null;
      }
      default:
        return false;
    }
  };
  while (at < end) {
    const head = bytes[at++];
    if (head === 0) return at;
    if (head >> 4 === 0 && number("tag", true) === null) return null;
    if (!skip(head & 15)) return null;
  }
  return null;
}

/** Words of a file of numbers: the first ones, which hold sizes where anything does, and the last, an index of a shard. */
export function wordFields(bytes: Uint8Array): Structure {
  const places = [...new Set([0, Math.max(0, bytes.length - 260)])].flatMap((from) =>
    Array.from({ length: 64 }, (_, i) => from + 4 * i),
  );
  const fields = places.flatMap((at) => [field(at, 4, "size"), field(at, 8, "size")]);
  return structure(fields, places, bytes.length);
}
