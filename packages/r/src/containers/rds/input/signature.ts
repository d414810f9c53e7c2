/**
 * Detection of R objects. `saveRDS` begins a file with the letter of its format and the version of R's serialisation.
 */

import { isAnnarrowError } from "annarrow";
import type { ByteSource, ReadOptions } from "annarrow/format";
import type { ByteStream } from "./byte-stream.js";

const GZIP = "\x1f\x8b";

/**
 * The first bytes of bzip2 and xz. They suffice, because this library reads no other formats with these compressions.
 */
const WHOLE = ["BZh", "\xfd7zXZ"];

/** The first bytes of XDR, little-endian and ASCII files, and of files written by `save()`. */
const OBJECT = [2, 3].flatMap((version) => {
  const [number, digit] = [String.fromCharCode(version), String(version)];
  return [
    `X\n\0\0\0${number}`,
    `B\n${number}\0\0\0`,
    `A\n${digit}\n`,
    // On Windows, ASCII files may have CRLF line endings.
    `A\r\n${digit}\r`,
    ...["X", "B", "A"].map((c) => `RD${c}${digit}\n`),
    `RDA${digit}\r\n`,
  ];
});

/** Number of bytes that are examined. */
const HEAD = 6;

/**
 * Determines whether a file is an R object. The first bytes of a gzip file are decompressed, because many other files
 * are gzip files too.
 */
export async function isRds(source: ByteSource, options: ReadOptions = {}): Promise<boolean> {
  const head = latin1(await source.read(0, Math.min(source.size, HEAD), options));
  if (WHOLE.some((magic) => head.startsWith(magic))) return true;
  return isObject(head.startsWith(GZIP) ? await gunzippedHead(source, options) : head);
}

async function gunzippedHead(source: ByteSource, options: ReadOptions): Promise<string> {
  const { createGunzipStream } = await import("./byte-stream.js");
  try {
    return await headOf(createGunzipStream(source, options));
  } catch (error) {
    if (isAnnarrowError(error, "InvalidDataError")) return "";
    throw error;
  }
}

async function headOf(stream: ByteStream): Promise<string> {
  let head = "";
  while (head.length < HEAD) {
    const bytes = await stream.pull();
    if (bytes === null) break;
    head += latin1(bytes.subarray(0, HEAD));
  }
  return head;
}

function isObject(head: string): boolean {
  return OBJECT.some((magic) => head.startsWith(magic));
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
