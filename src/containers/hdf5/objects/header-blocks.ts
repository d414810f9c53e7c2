/**
 * The messages of one object header as they stand in its blocks, of both versions. Source: HDF5 File Format
 * Specification, IV.A.1.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import { Cursor } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import type { Hdf5File } from "../file/file-bytes.js";

export interface StoredMessage {
  readonly type: number;
  /** Whether the body only says where the message lies. */
  readonly shared: boolean;
  readonly body: Uint8Array;
}

const CONTINUATION = 0x10;

const NIL = 0;
const LAST_KNOWN = 0x18;

/** Flags of a message. */
export const SHARED = 0x02;
const FAIL_IF_UNKNOWN = 0x80;

/** Real headers hold a few dozen messages in a handful of blocks. */
const MAX_BLOCKS = 1 << 16;
const MAX_BYTES = 1 << 28;

/** Nearly every header fits into the first read. */
const FIRST_READ = 1024;

/** No prefix is longer. */
const PREFIX_BYTES = 34;

/** Version 2: with the signature before the messages and the checksum after them. */
interface Block {
  readonly address: number;
  readonly length: number;
  /** Bytes before the first message. */
  readonly prefix: number;
}

/**
 * In file order, without those that say nothing (free space, continuations).
 * @throws {InvalidDataError} where there is no object header, or a part of it lies outside the file.
 * @throws {UnsupportedError} for a message of an unknown type that says that it must be known.
 */
export async function readStoredMessages(
  file: Hdf5File,
  address: number,
  options?: ReadOptions,
): Promise<StoredMessage[]> {
  const start = await file.readUpTo(address, FIRST_READ, options);
  const walk = walkBlocks(file, address, readPrefix(start, address));
  let step = walk.next();
  while (!step.done) {
    const { address: at, length } = step.value;
    const known = at === address && length <= start.length;
    step = walk.next(known ? start.subarray(0, length) : await file.read(at, length, options));
  }
  return step.value;
}

/**
 * As `readStoredMessages`, where all of it is at hand without reading; null where it is not.
 * @throws as it does.
 */
export function heldMessages(file: Hdf5File, address: number): StoredMessage[] | null {
  const start = file.peek(address, Math.min(PREFIX_BYTES, file.size - address));
  if (start === null || start.length === 0) return null;
  const walk = walkBlocks(file, address, readPrefix(start, address));
  let step = walk.next();
  while (!step.done) {
    const bytes = file.peek(step.value.address, step.value.length);
    if (bytes === null) return null;
    // Messages are kept.
    step = walk.next(bytes.slice());
  }
  return step.value;
}

/** Asks for one block after another, and is given its bytes. */
function* walkBlocks(
  file: Hdf5File,
  address: number,
  header: Prefix,
): Generator<Block, StoredMessage[], Uint8Array<ArrayBufferLike>> {
  const checksum = header.version === 1 ? 0 : 4;
  const blocks: Block[] = [{ address, length: header.prefix + header.length + checksum, prefix: header.prefix }];
  const seen = new Set<number>();
  const messages: StoredMessage[] = [];
  let total = 0;
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at];
    total += block.length;
    // Blocks do not overlap: together they are no longer than the file.
    if (seen.has(block.address) || blocks.length > MAX_BLOCKS || total > Math.min(MAX_BYTES, file.size)) {
      throw new InvalidDataError(`object header at ${address} never ends: ${total} bytes, file of ${file.size}`);
    }
    seen.add(block.address);
    const bytes = yield block;
    if (header.version === 2) checkBlock(bytes, block.address, at === 0 ? "OHDR" : "OCHK");
    const body = bytes.subarray(block.prefix, bytes.length - checksum);
    for (const message of splitMessages(body, header, address)) {
      if (message.type === CONTINUATION) blocks.push(continuation(message.body, header.version, file));
      else messages.push(message);
    }
  }
  return messages;
}

interface Prefix {
  readonly version: 1 | 2;
  readonly prefix: number;
  readonly length: number;
  /** Whether messages carry the order of their creation. */
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

function continuation(body: Uint8Array, version: 1 | 2, file: Hdf5File): Block {
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

function* splitMessages(bytes: Uint8Array, { version, indexed }: Prefix, address: number): Generator<StoredMessage> {
  const cursor = new Cursor(bytes, `object header at ${address}`);
  const prefix = version === 1 ? 8 : indexed ? 6 : 4;
  while (cursor.remaining >= prefix) {
    const type = version === 1 ? cursor.u16() : cursor.u8();
    const size = cursor.u16();
    const flags = cursor.u8();
    cursor.skip(version === 1 ? 3 : indexed ? 2 : 0);
    const body = cursor.take(size);
    if (type === NIL) continue;
    if (type > LAST_KNOWN && flags & FAIL_IF_UNKNOWN) {
      throw new UnsupportedError(`object header at ${address} has a message of type ${type}, which must be understood`);
    }
    yield { type, shared: (flags & SHARED) !== 0, body };
  }
}
