/** The messages that describe one stored object. Source: HDF5 File Format Specification, IV.A. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import type { Hdf5File } from "../file/hdf5-file.js";

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
  sharedTable: 0x0f,
  symbolTable: 0x11,
  attributeInfo: 0x15,
  cacheImage: 0x18,
} as const;

export interface HeaderMessage {
  readonly type: number;
  readonly body: Uint8Array;
}

/**
 * Reads a header like `readObjectHeader` if all of it is already in memory; otherwise returns null.
 * @throws the errors of `readObjectHeader`.
 */
export function peekHeader(file: Hdf5File, address: number): readonly HeaderMessage[] | null {
  const messages = peekMessages(file, address);
  return messages === null || messages.some(({ shared }) => shared) ? null : messages;
}

/**
 * Reads all messages of the object header at `address`, in file order. Committed (shared) messages are looked up.
 * @throws {InvalidDataError} if there is no object header, or a part of it lies outside the file.
 * @throws {UnsupportedError} for unknown messages that must be understood.
 */
export async function readObjectHeader(
  file: Hdf5File,
  address: number,
  options?: ReadOptions,
): Promise<HeaderMessage[]> {
  const held = peekMessages(file, address);
  if (held !== null && !held.some((message) => message.shared)) return held;
  const shared = new SharedMessages(file);
  const messages: HeaderMessage[] = [];
  for (const message of held ?? (await readStoredMessages(file, address, options))) {
    const { type, body } = message;
    messages.push({ type, body: message.shared ? await shared.find(type, body, options) : body });
  }
  return messages;
}

interface StoredMessage {
  readonly type: number;
  /** True if the body contains only the location of the actual message. */
  readonly shared: boolean;
  readonly body: Uint8Array;
}

const CONTINUATION = 0x10;

const NIL = 0;
const LAST_KNOWN = 0x18;

/** Flags of a message. */
export const SHARED = 0x02;
const FAIL_IF_UNKNOWN = 0x80;

/** Limits for a header. Real headers have a few dozen messages in a handful of blocks. */
const MAX_BLOCKS = 1 << 16;
const MAX_BYTES = 1 << 28;

/** Size of the first read in bytes. Nearly every header fits into it. */
const FIRST_READ = 1024;

/** Maximum bytes of a prefix. */
const PREFIX_BYTES = 34;

/** A block of messages. In version 2, it includes the signature before the messages and the checksum after them. */
interface Block {
  readonly address: number;
  readonly length: number;
  /** Bytes before the first message. */
  readonly prefix: number;
}

/**
 * Reads the messages in file order, without those that have no content (free space, continuations).
 * @throws {InvalidDataError} if there is no object header, or a part of it lies outside the file.
 * @throws {UnsupportedError} for a message of an unknown type that is flagged as one that must be understood.
 */
async function readStoredMessages(file: Hdf5File, address: number, options?: ReadOptions): Promise<StoredMessage[]> {
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
 * Reads messages like `readStoredMessages` if all of them are already in memory; otherwise returns null.
 * @throws the errors of `readStoredMessages`.
 */
function peekMessages(file: Hdf5File, address: number): StoredMessage[] | null {
  const start = file.peek(address, Math.min(PREFIX_BYTES, file.size - address));
  if (start === null || start.length === 0) return null;
  const walk = walkBlocks(file, address, readPrefix(start, address));
  let step = walk.next();
  while (!step.done) {
    const bytes = file.peek(step.value.address, step.value.length);
    if (bytes === null) return null;
    // Bytes are copied, because messages outlive the peeked view.
    step = walk.next(bytes.slice());
  }
  return step.value;
}

/** Yields blocks one after another, and receives each block's bytes. */
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
    // Blocks do not overlap, so their total size does not exceed the file's size.
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
  /** True if messages record the order in which they were created. */
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

/** Finds messages that several objects share. A header that is shared several times is read only once. */
export class SharedMessages {
  readonly #file: Hdf5File;
  /** The first message of each type, by header address. */
  readonly #headers = new Map<number, ReadonlyMap<number, StoredMessage>>();
  #total = 0;

  constructor(file: Hdf5File) {
    this.#file = file;
  }

  /**
   * @param body the body of the shared message, which contains the location of the actual message.
   * @returns the body of the message of this type.
   * @throws {InvalidDataError} if there is no such message, or the message is itself shared.
   */
  async find(type: number, body: Uint8Array, options?: ReadOptions): Promise<Uint8Array> {
    const { lengths, offsets } = this.#file.sizes;
    const cursor = new Cursor(body, "shared message");
    const version = cursor.u8();
    const kind = cursor.u8();
    if (version < 1 || version > 3) throw new InvalidDataError(`shared message has version ${version}; 1 to 3 exist`);
    if (version === 3 && kind === 1) return await this.#inHeap(type, cursor.take(8), options);
    if (version === 3 && kind !== 2) throw new InvalidDataError(`shared message of kind ${kind}; 1 and 2 exist`);
    if (version === 1) cursor.skip(6 + lengths);
    const address = cursor.uint(offsets);
    const found = (await this.#header(address, options)).get(type);
    if (found === undefined) throw new InvalidDataError(`shared message of type ${type} is missing at ${address}`);
    if (found.shared) throw new InvalidDataError(`shared message at ${address} is itself shared`);
    return found.body;
  }

  async #inHeap(type: number, id: Uint8Array, options?: ReadOptions): Promise<Uint8Array> {
    const heaps = this.#file.sharedHeaps;
    if (heaps === null) throw new InvalidDataError("message in a shared message heap, of which the file has none");
    return await heaps.find(type, id, options);
  }

  async #header(address: number, options?: ReadOptions): Promise<ReadonlyMap<number, StoredMessage>> {
    const known = this.#headers.get(address);
    if (known !== undefined) return known;
    const byType = new Map<number, StoredMessage>();
    for (const message of await readStoredMessages(this.#file, address, options)) {
      this.#total += message.body.length;
      if (!byType.has(message.type)) byType.set(message.type, message);
    }
    this.#headers.set(address, byType);
    // Headers overlap only in a file crafted to exhaust memory.
    if (this.#total > this.#file.size) {
      throw new InvalidDataError(`shared messages of ${this.#total} bytes in a file of ${this.#file.size}`);
    }
    return byType;
  }
}
