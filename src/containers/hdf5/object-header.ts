/** The messages that describe one stored object. Source: HDF5 File Format Specification, IV.A. */

import { InvalidDataError, UnsupportedError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { Cursor } from "./cursor.js";
import type { FileBytes } from "./file-bytes.js";
import { verifyChecksum } from "./lookup3.js";

export const MESSAGE = {
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  oldFillValue: 0x04,
  fillValue: 0x05,
  link: 0x06,
  externalFiles: 0x07,
  layout: 0x08,
  filterPipeline: 0x0b,
  attribute: 0x0c,
  continuation: 0x10,
  symbolTable: 0x11,
  attributeInfo: 0x15,
  cacheImage: 0x18,
} as const;

export interface HeaderMessage {
  readonly type: number;
  readonly body: Uint8Array;
}

/** Real headers hold a few dozen messages in a handful of blocks. */
const MAX_BLOCKS = 1 << 16;
const MAX_BYTES = 1 << 28;

/** Nearly every header fits into the first read. */
const FIRST_READ = 1024;

const SHARED = 0x02;

/**
 * All messages of the object header at `address`, in file order; committed (shared) ones are looked up.
 * @throws {InvalidDataError} where there is no object header, or a part of it lies outside the file.
 */
export async function readObjectHeader(
  file: FileBytes,
  address: number,
  options?: ReadOptions,
): Promise<HeaderMessage[]> {
  return await readMessages(file, address, 0, options);
}

/** Version 2: with the signature before the messages and the checksum after them. */
interface Block {
  readonly address: number;
  readonly length: number;
  /** Bytes before the first message. */
  readonly prefix: number;
}

async function readMessages(
  file: FileBytes,
  address: number,
  depth: number,
  options?: ReadOptions,
): Promise<HeaderMessage[]> {
  const start = await file.readUpTo(address, FIRST_READ, options);
  const header = readPrefix(start, address);
  const checksum = header.version === 1 ? 0 : 4;
  const blocks: Block[] = [{ address, length: header.prefix + header.length + checksum, prefix: header.prefix }];
  const seen = new Set<number>();
  const messages: HeaderMessage[] = [];
  let total = 0;
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at];
    total += block.length;
    if (seen.has(block.address) || blocks.length > MAX_BLOCKS || total > MAX_BYTES) {
      throw new InvalidDataError(`object header at ${address} never ends`);
    }
    seen.add(block.address);
    const known = at === 0 && block.length <= start.length;
    const bytes = known ? start.subarray(0, block.length) : await file.read(block.address, block.length, options);
    if (header.version === 2) checkBlock(bytes, block.address, at === 0 ? "OHDR" : "OCHK");
    const body = bytes.subarray(block.prefix, bytes.length - checksum);
    for (const message of splitMessages(body, header.version, header.indexed)) {
      if (message.type === MESSAGE.continuation) {
        blocks.push(continuation(message.body, header.version, file));
      } else if (message.flags & SHARED && message.type !== 0) {
        const body = await readShared(file, message.type, message.body, depth, options);
        messages.push({ type: message.type, body });
      } else {
        messages.push({ type: message.type, body: message.body });
      }
    }
  }
  return messages;
}

interface Prefix {
  readonly version: 1 | 2;
  readonly prefix: number;
  readonly length: number;
  readonly indexed: boolean;
}

function readPrefix(bytes: Uint8Array, address: number): Prefix {
  const cursor = new Cursor(bytes, `object header at ${address}`);
  const first = cursor.u8();
  if (first === 1) {
    cursor.skip(7);
    const length = cursor.u32();
    return { version: 1, prefix: 16, length, indexed: false };
  }
  if (first !== 0x4f || cursor.u8() !== 0x48 || cursor.u8() !== 0x44 || cursor.u8() !== 0x52) {
    throw new InvalidDataError(`there is no object at address ${address}`);
  }
  const version = cursor.u8();
  if (version !== 2) throw new InvalidDataError(`object header at ${address} has version ${version}; 1 and 2 exist`);
  const flags = cursor.u8();
  if (flags & 0x20) cursor.skip(16);
  if (flags & 0x10) cursor.skip(4);
  const length = cursor.uint(1 << (flags & 3));
  return { version: 2, prefix: cursor.position, length, indexed: (flags & 0x04) !== 0 };
}

function continuation(body: Uint8Array, version: 1 | 2, file: FileBytes): Block {
  const cursor = new Cursor(body, "continuation message");
  const address = cursor.uint(file.sizes.offsets);
  const length = cursor.uint(file.sizes.lengths);
  if (version === 1) return { address, length, prefix: 0 };
  if (length < 8) throw new InvalidDataError(`object header block of ${length} bytes; the smallest has 8`);
  return { address, length, prefix: 4 };
}

function checkBlock(bytes: Uint8Array, address: number, signature: string): void {
  const found = String.fromCharCode(...bytes.subarray(0, 4));
  if (found !== signature) throw new InvalidDataError(`there is no object header block at address ${address}`);
  verifyChecksum(bytes, `object header block at ${address}`);
}

interface RawMessage extends HeaderMessage {
  readonly flags: number;
}

function* splitMessages(bytes: Uint8Array, version: 1 | 2, indexed: boolean): Generator<RawMessage> {
  const cursor = new Cursor(bytes, "object header");
  const prefix = version === 1 ? 8 : indexed ? 6 : 4;
  while (cursor.remaining >= prefix) {
    const type = version === 1 ? cursor.u16() : cursor.u8();
    const size = cursor.u16();
    const flags = cursor.u8();
    cursor.skip(version === 1 ? 3 : indexed ? 2 : 0);
    yield { type, flags, body: cursor.take(size) };
  }
}

/**
 * The message that a shared message stands for.
 * @param depth 0, or 1 where it was itself found through a shared message, which is not legal.
 * @throws {UnsupportedError} for messages in the shared message heap, which hardly any writer uses.
 */
export async function readShared(
  file: FileBytes,
  type: number,
  body: Uint8Array,
  depth: number,
  options?: ReadOptions,
): Promise<Uint8Array> {
  const cursor = new Cursor(body, "shared message");
  const version = cursor.u8();
  const kind = cursor.u8();
  if (version < 1 || version > 3) throw new InvalidDataError(`shared message has version ${version}; 1 to 3 exist`);
  if (version === 3 && kind !== 2) throw new UnsupportedError("message in HDF5's shared message heap");
  if (version === 1) cursor.skip(6 + file.sizes.lengths);
  const address = cursor.uint(file.sizes.offsets);
  if (depth > 0) throw new InvalidDataError(`shared message at ${address} is itself shared`);
  for (const found of await readMessages(file, address, depth + 1, options)) {
    if (found.type === type) return found.body;
  }
  throw new InvalidDataError(`shared message of type ${type} is missing at address ${address}`);
}
