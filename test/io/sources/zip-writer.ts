/** Writes zip archives by hand, right or wrong in any field. */

import { deflateRawSync } from "node:zlib";

export interface ZipPart {
  readonly name: string;
  readonly data: Uint8Array;
  readonly deflate?: boolean;
  /** What headers say instead of the truth. */
  readonly crc?: number;
  readonly size?: number;
  readonly compressed?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly offset?: number;
  readonly localExtra?: Uint8Array;
  /** Sizes and offset as ones, and the true ones in the Zip64 field. */
  readonly zip64?: boolean;
}

export interface ZipOptions {
  readonly comment?: string;
  readonly zip64End?: boolean;
  readonly prefix?: Uint8Array;
  readonly count?: number;
}

const FULL = 0xffffffff;

export function zip(parts: readonly ZipPart[], options: ZipOptions = {}): Uint8Array {
  const prefix = Buffer.from(options.prefix ?? new Uint8Array(0));
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const data = Buffer.from(part.deflate ? deflateRawSync(part.data) : part.data);
    const method = part.method ?? (part.deflate ? 8 : 0);
    const size = part.size ?? part.data.length;
    const crc = part.crc ?? checksum(part.data);
    const localExtra = Buffer.from(part.localExtra ?? new Uint8Array(0));
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(part.flags ?? 0x800, 6);
    header.writeUInt16LE(method, 8);
    header.writeUInt16LE(name.length, 26);
    header.writeUInt16LE(localExtra.length, 28);
    local.push(header, name, localExtra, data);

    const offset = part.offset ?? at;
    const extra = part.zip64 ? Buffer.alloc(28) : Buffer.alloc(0);
    if (part.zip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(size), 4);
      extra.writeBigUInt64LE(BigInt(data.length), 12);
      extra.writeBigUInt64LE(BigInt(offset), 20);
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(part.flags ?? 0x800, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(part.zip64 ? FULL : (part.compressed ?? data.length), 20);
    entry.writeUInt32LE(part.zip64 ? FULL : size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(part.zip64 ? FULL : offset, 42);
    central.push(entry, name, extra);
    at += 30 + name.length + localExtra.length + data.length;
  }
  const directory = Buffer.concat(central);
  const count = options.count ?? parts.length;
  const end: Buffer[] = [];
  if (options.zip64End) {
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064b50, 0);
    record.writeBigUInt64LE(44n, 4);
    record.writeBigUInt64LE(BigInt(count), 24);
    record.writeBigUInt64LE(BigInt(count), 32);
    record.writeBigUInt64LE(BigInt(directory.length), 40);
    record.writeBigUInt64LE(BigInt(at), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(at + directory.length), 8);
    locator.writeUInt32LE(1, 16);
    end.push(record, locator);
  }
  const comment = Buffer.from(options.comment ?? "");
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(options.zip64End ? 0xffff : count, 8);
  last.writeUInt16LE(options.zip64End ? 0xffff : count, 10);
  last.writeUInt32LE(options.zip64End ? FULL : directory.length, 12);
  last.writeUInt32LE(options.zip64End ? FULL : at, 16);
  last.writeUInt16LE(comment.length, 20);
  return new Uint8Array(Buffer.concat([prefix, ...local, directory, ...end, last, comment]));
}

/** CRC-32, bit by bit. */
function checksum(data: Uint8Array): number {
  let crc = FULL;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (crc ^ FULL) >>> 0;
}
