import { InvalidDataError, located, UnsupportedError } from "../../model/errors.js";
import { bytesSource } from "../../sources/memory.js";
import type { ByteSource } from "../../sources/source.js";
import { type ByteStream, joined } from "./input/byte-stream.js";
import { AsciiInput, BinaryInput, type ItemInput, type Reading } from "./input/item-input.js";
import { openStream } from "./input/open-stream.js";
import { nativeDecoder } from "./items/character-vector.js";
import { ItemReader, type ReadLimits, type ReadRdsOptions, readLimits } from "./items/item-reader.js";
import type { RValue } from "./model/value.js";

export type { ReadRdsOptions } from "./items/item-reader.js";

/**
 * Reads the object that `saveRDS` wrote, or the pairlist of those that `save` wrote: version 2 or 3; XDR, ASCII or
 * little-endian; plain or compressed by gzip, bzip2 or xz. Vectors are read straight into their final memory. Only ASCII files and files compressed by bzip2 or xz
 * are in memory as a whole.
 * @throws {InvalidDataError} where the bytes are not an R object, are truncated, or contradict themselves.
 * @throws {UnsupportedError} for kinds of objects that are not read, and beyond the limits.
 */
export async function readRds(source: ByteSource | Uint8Array, options: ReadRdsOptions = {}): Promise<RValue> {
  const from = source instanceof Uint8Array ? bytesSource(source) : source;
  return located({ source: from.name }, () => readFrom(from, options));
}

async function readFrom(source: ByteSource, options: ReadRdsOptions): Promise<RValue> {
  const limits = readLimits(options, source.size);
  const { signal } = options;
  const stream = await openStream(source, { maxBytes: limits.maxBytes, ...(signal === undefined ? {} : { signal }) });
  try {
    const input = new BinaryInput(stream, limits.maxVectorBytes);
    await input.supply(2);
    const head = text(input.chars(2));
    const isSaved = head === "RD";
    if (isSaved) {
      // `save` puts a line of its own in front: RDX3, RDA3, RDB3, or the same with 2.
      await input.supply(5);
      const rest = text(input.chars(3));
      if (!/^[XAB][23]\n$/.test(rest))
        throw new InvalidDataError(`not an R object: it begins with ${shown(head + rest)}`);
    }
    const format = formatOf(isSaved ? text(input.chars(2)) : head);
    if (format === "ascii") {
      const ascii = new AsciiInput(await readWhole(input, stream, limits.maxBytes));
      const value = await drive(readDocument(ascii, limits), input, signal);
      ascii.end();
      return value;
    }
    if (format === "little-endian") input.setLittleEndian();
    const value = await drive(readDocument(input, limits), input, signal);
    await input.end();
    return value;
  } catch (error) {
    await stream.cancel();
    throw error;
  }
}

function text(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function shown(head: string): string {
  return JSON.stringify(head);
}

function formatOf(format: string): "xdr" | "ascii" | "little-endian" {
  switch (format) {
    case "X\n":
      return "xdr";
    case "A\n":
      return "ascii";
    case "B\n":
      return "little-endian";
    default:
      throw new InvalidDataError(`not an R object: it begins with ${shown(format)}`);
  }
}

/** Runs a reading generator and supplies the bytes that it asks for. */
async function drive<T>(reading: Reading<T>, input: BinaryInput, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    signal?.throwIfAborted();
    await input.supply(value);
  }
}

/** Reads everything behind the letter of the format: versions, the native encoding, the object. */
function* readDocument(input: ItemInput, limits: ReadLimits): Reading<RValue> {
  if (!input.has(12)) yield 12;
  const version = input.int();
  input.int();
  const oldest = input.int();
  if (version !== 2 && version !== 3) {
    throw new UnsupportedError(`version ${version} of R's serialisation, for R ${showVersion(oldest)} and later`);
  }
  let encoding = "";
  if (version === 3) {
    if (!input.has(4)) yield 4;
    const length = input.int();
    // R's own buffer holds 63 characters.
    if (length < 0 || length > 63) throw new InvalidDataError(`the name of an encoding of length ${length}`);
    if (!input.has(length)) yield length;
    encoding = String.fromCharCode(...input.chars(length));
  }
  return yield* new ItemReader(input, nativeDecoder(encoding), limits).item();
}

function showVersion(version: number): string {
  return `${(version >> 16) & 0xffff}.${(version >> 8) & 0xff}.${version & 0xff}`;
}

async function readWhole(head: BinaryInput, stream: ByteStream, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part: Uint8Array | null = head.rest(); part !== null; part = await stream.pull()) {
    length += part.length;
    if (length > maxBytes) throw new UnsupportedError(`an ASCII file of more than ${maxBytes} bytes (maxBytes)`);
    parts.push(part);
  }
  return joined(parts, length);
}
