/** Reads the central directory of a zip archive. */

import { InvalidDataError } from "../../model/errors.js";
import type { ByteSource, ReadOptions } from "./source.js";

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  /** Compressed size in bytes, while `size` is the decompressed size. */
  readonly compressed: number;
  readonly size: number;
  /** Position of the local header. */
  readonly header: number;
  /**
   * Position of the next local header, which the entry must not extend past. Otherwise, if many names referred to the
   * same bytes, a small archive could expand enormously (a zip bomb).
   */
  readonly limit: number;
}

const END_SIZE = 22;
const LOCATOR_SIZE = 20;
const END64_SIZE = 56;
const CENTRAL_SIZE = 46;

const END_SIGNATURE = 0x06054b50;
const LOCATOR_SIGNATURE = 0x07064b50;
const END64_SIGNATURE = 0x06064b50;
const CENTRAL_SIGNATURE = 0x02014b50;

interface Directory {
  readonly start: number;
  readonly size: number;
  readonly count: number;
  /**
   * Number of bytes before the archive (the program in a self-extracting file), which the archive's offsets do not
   * include.
   */
  readonly shift: number;
}

/**
 * Reads all entries in the central directory, in stored order (APPNOTE 4.3.12; Zip64 4.3.14 and 4.5.3).
 * @throws {InvalidDataError} if the bytes are not a zip archive, or only a truncated one.
 */
export async function readZipDirectory(source: ByteSource, options?: ReadOptions): Promise<ZipEntry[]> {
  const directory = await findDirectory(source, options);
  const bytes = await source.read(directory.start, directory.start + directory.size, options);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Unlimited[] = [];
  let at = 0;
  for (let i = 0; i < directory.count; i++) {
    if (at + CENTRAL_SIZE > bytes.length || view.getUint32(at, true) !== CENTRAL_SIGNATURE) {
      throw new InvalidDataError(`the central directory ends after ${i} of ${directory.count} entries`);
    }
    const nameEnd = at + CENTRAL_SIZE + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    const end = extraEnd + view.getUint16(at + 32, true);
    if (end > bytes.length) {
      throw new InvalidDataError(`entry ${i} of the central directory ends at byte ${end} of ${bytes.length}`);
    }
    const name = decodeName(bytes.subarray(at + CENTRAL_SIZE, nameEnd));
    const sizes = zip64(new DataView(bytes.buffer, bytes.byteOffset + nameEnd, extraEnd - nameEnd), {
      size: view.getUint32(at + 24, true),
      compressed: view.getUint32(at + 20, true),
      header: view.getUint32(at + 42, true),
    });
    entries.push({
      name,
      method: view.getUint16(at + 10, true),
      encrypted: (view.getUint16(at + 8, true) & 1) !== 0,
      crc: view.getUint32(at + 16, true),
      compressed: sizes.compressed,
      size: sizes.size,
      header: sizes.header + directory.shift,
    });
    at = end;
  }
  return limited(entries, directory.start);
}

type Unlimited = Omit<ZipEntry, "limit">;

/** Limits the end of each entry to the start of the next header. @param end the end of the last entry. */
function limited(entries: readonly Unlimited[], end: number): ZipEntry[] {
  const headers = Float64Array.from(entries, ({ header }) => header).sort();
  return entries.map((entry) => {
    // If two entries have the same position, neither of them can be read.
    const next = countUpTo(headers, entry.header);
    const shared = next > 1 && headers[next - 2] === entry.header;
    return { ...entry, limit: shared ? entry.header : (headers[next] ?? end) };
  });
}

/** Returns the number of values in `ascending` that are at most `value`. */
function countUpTo(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function findDirectory(source: ByteSource, options?: ReadOptions): Promise<Directory> {
  // The end record is followed by a comment of at most 65,535 bytes.
  const start = Math.max(0, source.size - END_SIZE - 0xffff - LOCATOR_SIZE);
  const tail = await source.read(start, source.size, options);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = tail.length - END_SIZE; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_SIZE + view.getUint16(at + 20, true) > tail.length) continue;
    const locator = at - LOCATOR_SIZE;
    if (locator >= 0 && view.getUint32(locator, true) === LOCATOR_SIGNATURE) {
      return directory64(source, start + locator, safe(view.getBigUint64(locator + 8, true)), options);
    }
    return placed(
      view.getUint32(at + 16, true),
      view.getUint32(at + 12, true),
      view.getUint16(at + 10, true),
      start + at,
    );
  }
  throw new InvalidDataError("not a zip archive, or a truncated one: no end record");
}

async function directory64(
  source: ByteSource,
  locator: number,
  declared: number,
  options?: ReadOptions,
): Promise<Directory> {
  // If other bytes precede the archive, the record is not at the declared offset, but directly before its locator.
  for (const at of [declared, locator - END64_SIZE]) {
    if (at < 0 || at + END64_SIZE > locator) continue;
    const record = await source.read(at, at + END64_SIZE, options);
    const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
    if (view.getUint32(0, true) !== END64_SIGNATURE) continue;
    const number = (offset: number) => safe(view.getBigUint64(offset, true));
    return placed(number(48), number(40), number(32), at);
  }
  throw new InvalidDataError(`no Zip64 end record at byte ${declared}`);
}

/** Locates the directory, which ends where the end record begins. */
function placed(offset: number, size: number, count: number, end: number): Directory {
  const shift = end - size - offset;
  if (shift < 0) {
    throw new InvalidDataError(
      `the central directory of ${size} bytes at byte ${offset} passes its end at byte ${end}`,
    );
  }
  if (count * CENTRAL_SIZE > size) {
    throw new InvalidDataError(`${count} entries cannot lie in a central directory of ${size} bytes`);
  }
  return { start: offset + shift, size, count, shift };
}

/**
 * Replaces each value in which all bits are set with a 64-bit value from extra field 1, which contains only such
 * values, in order.
 */
function zip64<T extends Record<"size" | "compressed" | "header", number>>(extra: DataView, values: T): T {
  const wanted = (["size", "compressed", "header"] as const).filter((key) => values[key] === 0xffffffff);
  if (wanted.length === 0) return values;
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const length = extra.getUint16(at + 2, true);
    if (extra.getUint16(at, true) === 1) {
      if (length < 8 * wanted.length || at + 4 + length > extra.byteLength) break;
      const result = { ...values };
      wanted.forEach((key, index) => {
        result[key] = safe(extra.getBigUint64(at + 4 + 8 * index, true)) as T[typeof key];
      });
      return result;
    }
    at += 4 + length;
  }
  throw new InvalidDataError("an entry without its Zip64 sizes");
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new InvalidDataError(`a zip offset or size of ${value}`);
  return Number(value);
}

/** Upper half of code page 437, which is the encoding of entry names that are not UTF-8. */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** Decodes an entry name. Tries UTF-8 regardless of the flag, since many writers forget to set it. */
function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : CP437[byte - 128])).join("");
  }
}
