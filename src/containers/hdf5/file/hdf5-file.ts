/**
 * Reads the bytes of an HDF5 file by address. Positions are relative to the signature, and the superblock defines the
 * field sizes.
 */

import { mergeRanges } from "../../../io/sources/file-bytes.js";
import type { ByteSource, ReadOptions, SourcePlan, StridedRanges } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { AttributeValue } from "../../tree/container.js";
import { Cursor, type FieldSizes } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import type { Datatype } from "../types/datatype.js";

/** Number of bytes fetched at a time before they are copied to the caller's memory. */
const PIECE = 1 << 22;

/** Finds messages that several objects share, which are stored in the file's heaps. */
export interface SharedHeaps {
  /** @throws {InvalidDataError} if there is no such message. */
  find(type: number, id: Uint8Array, options?: ReadOptions): Promise<Uint8Array>;
}

export class Hdf5File {
  readonly sizes: FieldSizes;
  /** Null if objects do not share messages in heaps. */
  readonly sharedHeaps: SharedHeaps | null;
  /** Caches of parsed messages. */
  readonly datatypes = new MessageCache<Datatype>();
  readonly attributes = new MessageCache<{ readonly name: string; readonly value: AttributeValue }>();
  readonly #source: ByteSource;
  readonly #base: number;

  /** @param base the position of the signature. */
  constructor(source: ByteSource, base: number, sizes: FieldSizes, sharedHeaps: SharedHeaps | null = null) {
    this.sharedHeaps = sharedHeaps;
    this.#source = source;
    this.#base = base;
    this.sizes = sizes;
  }

  /** The plan from which a worker opens these bytes; null if a worker cannot open them. */
  get plan(): { readonly source: SourcePlan; readonly base: number } | null {
    const { plan } = this.#source;
    return plan === undefined ? null : { source: plan, base: this.#base };
  }

  /** The number of bytes from the signature to the end of the file. */
  get size(): number {
    return this.#source.size - this.#base;
  }

  /** True if the source copies bytes into the caller's memory, which the caller can reuse. */
  get copies(): boolean {
    return this.#source.readInto !== undefined;
  }

  /**
   * Fills `target` with the bytes that start at `address`.
   * @throws {InvalidDataError} if the file has fewer bytes.
   */
  async readInto(address: number, target: Uint8Array, options?: ReadOptions): Promise<void> {
    this.#check(address, target.length);
    const start = this.#base + address;
    if (this.#source.readInto !== undefined) return await this.#source.readInto(start, target, options);
    for (let done = 0; done < target.length; done += PIECE) {
      const part = target.subarray(done, done + PIECE);
      part.set(await this.#source.read(start + done, start + done + part.length, options));
    }
  }

  /** Reads several ranges like `readInto`; `start` is the address of the first one. */
  async readPieces(pieces: StridedRanges, target: Uint8Array, options?: ReadOptions): Promise<void> {
    const { start, length, count, step, targetStep } = pieces;
    if (count === 0) return;
    this.#check(start, (count - 1) * step + length);
    if (this.#source.readPieces !== undefined) {
      return await this.#source.readPieces({ ...pieces, start: this.#base + start }, target, options);
    }
    for (let i = 0; i < count; i++) {
      const at = i * targetStep;
      await this.readInto(start + i * step, target.subarray(at, at + length), options);
    }
  }

  /**
   * Reads the `length` bytes at `address`.
   * @throws {InvalidDataError} if they extend past the end of the file.
   */
  async read(address: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    this.#check(address, length);
    return await this.#source.read(this.#base + address, this.#base + address + length, options);
  }

  /** @throws {InvalidDataError} if the source detects that the file has changed since it was opened. */
  async checkUnchanged(): Promise<void> {
    await this.#source.checkUnchanged?.();
  }

  /** Returns the bytes if the source has them in memory, otherwise null. The caller must use them immediately. */
  peek(address: number, length: number): Uint8Array | null {
    if (address + length > this.size) return null;
    return this.#source.peek?.(this.#base + address, this.#base + address + length) ?? null;
  }

  #check(address: number, length: number): void {
    if (address + length <= this.size) return;
    const what = address >= this.size ? `address ${address} lies` : `${length} bytes at address ${address} lie`;
    throw new InvalidDataError(`${what} beyond the end of the file, which has ${this.size} bytes`);
  }

  /** Reads `length` bytes, or fewer at the end of the file. */
  async readUpTo(address: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    return await this.read(address, Math.max(1, Math.min(length, this.size - address)), options);
  }
}

/** Maximum number of cached messages. A new message replaces the oldest. */
const MOST = 32;

interface Entry<T> {
  readonly bytes: Uint8Array;
  readonly value: T;
}

/**
 * A cache of values parsed from messages, with the messages' bytes as keys. Most objects in a file repeat a few
 * datatypes and attributes.
 */
export class MessageCache<T> {
  readonly #entries: Entry<T>[] = [];
  #next = 0;

  /** Returns the value for a message with these bytes, if one was added. */
  find(bytes: Uint8Array): T | undefined {
    for (const entry of this.#entries) if (isEqual(entry.bytes, bytes)) return entry.value;
    return undefined;
  }

  /**
   * Stores a copy of the message's bytes with its value.
   * @returns the value.
   */
  add(bytes: Uint8Array, value: T): T {
    this.#entries[this.#next] = { bytes: bytes.slice(), value };
    this.#next = (this.#next + 1) % MOST;
    return value;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  const { length } = a;
  if (length !== b.length) return false;
  // Bytes are compared from the end, because messages of one kind differ most in their values, which come last.
  for (let i = length - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  return true;
}

/** The location of a structure in the file. */
export interface MetadataBlock {
  readonly address: number;
  readonly length: number;
}

/** Maximum number of concurrent requests. */
const AT_ONCE = 8;

/** Maximum number of ranges for which it is worth caching the bytes around each range. */
const FEW_RUNS = 16;

/**
 * Reads the bytes of each block, in the requested order.
 * @throws {InvalidDataError} if a block extends past the end of the file.
 */
export async function readBlocks(
  file: Hdf5File,
  blocks: readonly MetadataBlock[],
  options?: ReadOptions,
): Promise<Uint8Array[]> {
  for (const { address, length } of blocks) {
    if (address + length > file.size) {
      throw new InvalidDataError(
        `${length} bytes at address ${address} lie beyond the end of the file, which has ${file.size} bytes`,
      );
    }
  }
  const found: Uint8Array[] = blocks.map(() => new Uint8Array(0));
  const runs = mergeRanges(blocks.map(({ address, length }) => ({ start: address, end: address + length })));
  const scattered = file.copies && runs.length > FEW_RUNS;
  for (let first = 0; first < runs.length; first += AT_ONCE) {
    options?.signal?.throwIfAborted();
    const some = runs.slice(first, first + AT_ONCE);
    const parts = await Promise.all(
      some.map(({ start, end }) => readPart(file, start, end - start, scattered, options)),
    );
    for (const [i, { start, members }] of some.entries()) {
      for (const member of members) {
        const { address, length } = blocks[member];
        found[member] = parts[i].subarray(address - start, address - start + length);
      }
    }
  }
  return found;
}

/** @param alone true to prevent a source from also reading the bytes around the part. */
async function readPart(
  file: Hdf5File,
  address: number,
  length: number,
  alone: boolean,
  options?: ReadOptions,
): Promise<Uint8Array> {
  if (!alone) return await file.read(address, length, options);
  const bytes = new Uint8Array(length);
  await file.readInto(address, bytes, options);
  return bytes;
}

/**
 * Opens a block that ends with its 4-byte checksum. The cursor is placed after the signature and the version (0).
 * @throws {InvalidDataError} if another structure lies at this address, or the block is damaged.
 */
export function openBlock(bytes: Uint8Array, signature: string, address: number): Cursor {
  const what = `${signature} block at ${address}`;
  const cursor = new Cursor(bytes, what);
  const found = String.fromCharCode(...cursor.take(4));
  if (found !== signature) throw new InvalidDataError(`there is no ${what}`);
  verifyChecksum(bytes, what);
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`${what} has version ${version}; only 0 exists`);
  return cursor;
}
