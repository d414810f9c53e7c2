import { InvalidDataError, UnsupportedError } from "annarrow";
import { createBytesSource } from "annarrow/core/io";
import { runWithLocation } from "annarrow/core/model";
import type { ByteSource } from "annarrow/format";
import { AsciiInput } from "./input/ascii-input.js";
import { BinaryInput } from "./input/binary-input.js";
import { BufferedStream } from "./input/buffered-stream.js";
import type { ItemInput, Reading } from "./input/item-input.js";
import { openStream } from "./input/open-stream.js";
import { createNativeDecoder } from "./items/character-vector.js";
import { ItemReader, type ReadLimits, type ReadRdsOptions, readLimits } from "./items/item-reader.js";
import type { RValue } from "./model/value.js";

export type { ReadRdsOptions } from "./items/item-reader.js";

/**
 * Reads the object that `saveRDS` wrote, or the pairlist of objects that `save` wrote: version 2 or 3; XDR, ASCII or
 * little-endian; uncompressed, or compressed by gzip, bzip2 or xz. Files are streamed, and vectors are read directly
 * into their final memory.
 * @throws {InvalidDataError} if the bytes are not an R object, are truncated, or contradict themselves.
 * @throws {UnsupportedError} for unsupported kinds of objects, and if a limit is exceeded.
 */
export async function readRds(source: ByteSource | Uint8Array, options: ReadRdsOptions = {}): Promise<RValue> {
  const from = source instanceof Uint8Array ? createBytesSource(source) : source;
  return runWithLocation({ source: from.name }, () => readFrom(from, options));
}

async function readFrom(source: ByteSource, options: ReadRdsOptions): Promise<RValue> {
  const limits = readLimits(options, source.size);
  const { signal } = options;
  const stream = await openStream(source, { signal });
  const input = await openInput(new BufferedStream(stream, limits.maxVectorBytes));
  const value = await drive(readDocument(input, limits), input, signal);
  await input.end();
  return value;
}

/** Reads the format letter, after the line that `save` writes first: RDX3, RDA3, RDB3, or the same with 2. */
async function openInput(bytes: BufferedStream): Promise<ItemInput> {
  let head = await takeLine(bytes, 2);
  if (head === "RD") {
    const rest = await takeLine(bytes, 3);
    if (!/^[XAB][23]\n$/.test(rest))
      throw new InvalidDataError(`not an R object: it begins with ${shown(head + rest)}`);
    head = await takeLine(bytes, 2);
  }
  switch (head) {
    case "X\n":
      return new BinaryInput(bytes, false);
    case "A\n":
      return new AsciiInput(bytes);
    case "B\n":
      return new BinaryInput(bytes, true);
    default:
      throw new InvalidDataError(`not an R object: it begins with ${shown(head)}`);
  }
}

/** Takes `length` characters. The last one may be a line end, which on Windows has two characters. */
async function takeLine(bytes: BufferedStream, length: number): Promise<string> {
  await bytes.gather(length);
  const line = text(bytes.take(length));
  if (!line.endsWith("\r")) return line;
  await bytes.gather(1);
  return line.slice(0, -1) + text(bytes.take(1));
}

function text(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function shown(head: string): string {
  return JSON.stringify(head);
}

/** Runs a reading generator, and supplies the bytes that it requests. */
async function drive<T>(reading: Reading<T>, input: ItemInput, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    signal?.throwIfAborted();
    await input.supply(value);
  }
}

/** Reads everything after the format letter: versions, the native encoding, the object. */
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
  return yield* new ItemReader(input, createNativeDecoder(encoding), limits).item();
}

function showVersion(version: number): string {
  return `${(version >> 16) & 0xffff}.${(version >> 8) & 0xff}.${version & 0xff}`;
}
