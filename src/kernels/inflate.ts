/**
 * Deflate, zlib and gzip streams. The work is done by fflate, which runs everywhere, until an entry that has something
 * faster installs it: `node.ts` calls `installNodeInflate()` of `inflate.node.ts` once. That one variable is all.
 */

import { InvalidDataError } from "../errors.js";
import { adler32, crc32 } from "./checksums.js";

export type DeflateFormat = "raw" | "zlib" | "gzip";

/** How many bytes a stream must give: exactly `bytes`, or at most so many. */
export interface OutputSize {
  readonly bytes: number;
  readonly exact: boolean;
}

export type Inflate = (bytes: Uint8Array, format: DeflateFormat, size: OutputSize) => Uint8Array | Promise<Uint8Array>;

let installed: Inflate | undefined;

/** Makes `implementation` what `inflate` calls; it need not check an exact size. */
export function installInflate(implementation: Inflate | undefined): void {
  installed = implementation;
}

/**
 * The decompressed bytes, checksums verified.
 * @throws {InvalidDataError} where the stream is truncated, corrupt, or gives fewer or more bytes than `size` says.
 */
export async function inflate(bytes: Uint8Array, format: DeflateFormat, size: OutputSize): Promise<Uint8Array> {
  const result = await (installed ?? inflateWithFflate)(bytes, format, size);
  if (size.exact ? result.length !== size.bytes : result.length > size.bytes) throw wrongSize(result.length, size);
  return result;
}

/** The error for a stream that gives `found` bytes where `size` was declared. */
export function wrongSize(found: number | string, size: OutputSize): InvalidDataError {
  return new InvalidDataError(
    `the compressed data gives ${found} bytes, expected ${size.exact ? "" : "at most "}${size.bytes}`,
  );
}

async function inflateWithFflate(bytes: Uint8Array, format: DeflateFormat, size: OutputSize): Promise<Uint8Array> {
  const { start, end, check } = frame(bytes, format);
  const result = await inflateBody(bytes.subarray(start, end), size);
  check(result);
  return result;
}

/** Input that is decompressed between two looks at the bound: deflate gives at most 1032 bytes for one. */
const STEP = 32 * 1024;

async function inflateBody(body: Uint8Array, size: OutputSize): Promise<Uint8Array> {
  const { Inflate: Stream } = await import("fflate");
  const parts: Uint8Array[] = [];
  let total = 0;
  const stream = new Stream((part) => {
    total += part.length;
    if (total > size.bytes) throw wrongSize("more", size);
    parts.push(part);
  });
  try {
    for (let at = 0; at === 0 || at < body.length; at += STEP) {
      stream.push(body.subarray(at, at + STEP), at + STEP >= body.length);
    }
  } catch (cause) {
    throw cause instanceof InvalidDataError ? cause : corrupt(cause);
  }
  if (parts.length === 1) return parts[0];
  const result = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

function corrupt(cause: unknown): InvalidDataError {
  return new InvalidDataError(`corrupt deflate stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
}

interface Frame {
  readonly start: number;
  readonly end: number;
  check(result: Uint8Array): void;
}

/** Where the deflate stream lies, and what its frame says of the result: fflate verifies no checksum. */
function frame(bytes: Uint8Array, format: DeflateFormat): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (format) {
    case "raw":
      return { start: 0, end: bytes.length, check: () => undefined };
    case "zlib": {
      if (bytes.length < 6 || (bytes[0] & 15) !== 8 || view.getUint16(0) % 31 !== 0 || (bytes[1] & 32) !== 0) {
        throw new InvalidDataError("not a zlib stream");
      }
      const end = bytes.length - 4;
      return {
        start: 2,
        end,
        check: (result) => verify("Adler-32", adler32(result), view.getUint32(end)),
      };
    }
    case "gzip": {
      const start = gzipHeader(bytes);
      const end = bytes.length - 8;
      if (end < start) throw new InvalidDataError(`truncated gzip stream of ${bytes.length} bytes`);
      return {
        start,
        end,
        check: (result) => verify("CRC-32", crc32(result), view.getUint32(end, true)),
      };
    }
    default:
      return format satisfies never;
  }
}

function verify(name: string, found: number, stored: number): void {
  if (found !== stored) {
    throw new InvalidDataError(`${name} is ${found.toString(16)}, the stream says ${stored.toString(16)}`);
  }
}

/** The length of the header of RFC 1952: ten bytes, then extra field, name, comment and header CRC by its flags. */
function gzipHeader(bytes: Uint8Array): number {
  if (bytes.length < 18 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) {
    throw new InvalidDataError("not a gzip stream");
  }
  const flags = bytes[3];
  let at = 10;
  if (flags & 4) at += 2 + bytes[at] + (bytes[at + 1] << 8);
  for (const flag of [8, 16]) {
    if (!(flags & flag)) continue;
    const nul = bytes.indexOf(0, at);
    if (nul < 0) throw new InvalidDataError("truncated gzip header");
    at = nul + 1;
  }
  if (flags & 2) at += 2;
  return at;
}
