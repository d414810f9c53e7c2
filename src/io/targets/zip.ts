/** Writes a store as a zip archive. */

import { computeCrc32 } from "../../kernels/checksums/checksums.js";
import { InvalidInputError } from "../../model/errors.js";
import { splitKeySegments } from "../sources/key.js";
import { setTwice } from "./memory.js";
import type { ByteTarget, KeyValueTarget } from "./target.js";

/** Maximum length of a name, which is stored in 16 bits. */
const MAX_NAME = 0xffff;

/** Size in bytes of the largest value that is written together with its header. */
const JOINED = 1 << 15;

/** Size in bytes of a block in the archive's directory. */
const BLOCK = 1 << 16;

/**
 * A target for a store in a zip archive, written sequentially to `target`: one stored entry per key, with Zip64 if
 * necessary. The same values in the same order result in the same bytes. `target` is committed and aborted together
 * with the store.
 */
export function zipTarget(target: ByteTarget): KeyValueTarget {
  return new ZipTarget(target);
}

class ZipTarget implements KeyValueTarget {
  readonly kind = "keys";
  readonly name: string;
  readonly warnings: readonly string[];
  readonly caseSensitive = true;
  readonly #target: ByteTarget;
  readonly #keys = new Set<string>();
  readonly #directory = new Blocks();
  #offset = 0;
  #underWay = 0;
  #failure: unknown = null;

  constructor(target: ByteTarget) {
    this.name = target.name;
    this.warnings = target.warnings ?? [];
    this.#target = target;
  }

  async set(key: string, bytes: Uint8Array): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    splitKeySegments(key);
    if (this.#keys.has(key)) throw setTwice(key, this.name);
    const name = new TextEncoder().encode(key);
    if (name.length > MAX_NAME) {
      throw new InvalidInputError(`a key of ${name.length} bytes, a zip archive holds at most ${MAX_NAME}`, {
        source: this.name,
        element: `${key.slice(0, 100)}…`,
      });
    }
    const entry = { name, crc: computeCrc32(bytes), size: bytes.length, offset: this.#offset };
    const header = localHeader(entry);
    this.#keys.add(key);
    this.#directory.add(centralHeader(entry));
    this.#offset += header.length + bytes.length;
    this.#underWay++;
    try {
      await this.#put(entry, header, bytes);
    } catch (error) {
      // The directory already lists the entry, so the archive is lost.
      this.#failure ??= error;
      throw error;
    } finally {
      this.#underWay--;
    }
  }

  async #put({ offset, size }: ZippedEntry, header: Uint8Array, bytes: Uint8Array): Promise<void> {
    if (size > JOINED) {
      await Promise.all([this.#target.write(offset, header), this.#target.write(offset + header.length, bytes)]);
      return;
    }
    const joined = new Uint8Array(header.length + size);
    joined.set(header);
    joined.set(bytes, header.length);
    await this.#target.write(offset, joined);
  }

  async commit(): Promise<void> {
    if (this.#underWay > 0) throw new TypeError(`${this.name}: committed while ${this.#underWay} keys are being set`);
    if (this.#failure !== null) throw this.#failure;
    const start = this.#offset;
    for (const block of this.#directory.all()) {
      await this.#target.write(this.#offset, block);
      this.#offset += block.length;
    }
    await this.#target.write(this.#offset, endRecords(this.#keys.size, this.#offset - start, start));
    await this.#target.commit();
  }

  abort(): Promise<void> {
    return this.#target.abort();
  }

  async anew(): Promise<KeyValueTarget> {
    const target = await this.#target.anew?.();
    if (target === undefined) throw new TypeError(`${this.name}: cannot be begun again`);
    return new ZipTarget(target);
  }
}

/** Collects many small records in few memory blocks. */
class Blocks {
  readonly #full: Uint8Array[] = [];
  #block = new Uint8Array(BLOCK);
  #used = 0;

  add(record: Uint8Array): void {
    if (this.#used + record.length > this.#block.length) {
      this.#full.push(this.#block.subarray(0, this.#used));
      this.#block = new Uint8Array(Math.max(BLOCK, record.length));
      this.#used = 0;
    }
    this.#block.set(record, this.#used);
    this.#used += record.length;
  }

  all(): Uint8Array[] {
    return [...this.#full, this.#block.subarray(0, this.#used)];
  }
}

interface ZippedEntry {
  readonly name: Uint8Array;
  readonly crc: number;
  readonly size: number;
  /** Offset of its local header. */
  readonly offset: number;
}

/** All bits set: the actual value is in the Zip64 extra field or the Zip64 end record. */
const ONES_16 = 0xffff;
const ONES_32 = 0xffffffff;

const VERSION = 20;
const VERSION_ZIP64 = 45;
/** Marks the archive as made on Unix, so that the upper half of the external attributes is a file mode. */
const UNIX = 3 << 8;
const MODE = 0o100644 << 16;
const UTF8_NAME = 0x800;
const STORED = 0;
/** 1 January 1980. A constant date makes the output reproducible. */
const DATE = (1 << 5) | 1;

const LOCAL_SIZE = 30;
const CENTRAL_SIZE = 46;
const END64_SIZE = 56;
const LOCATOR_SIZE = 20;
const END_SIZE = 22;

function localHeader(entry: ZippedEntry): Uint8Array {
  const { name, size } = entry;
  // In a local header, the extra field must contain both sizes.
  const large = size >= ONES_32 ? [size, size] : [];
  const { bytes, view } = record(LOCAL_SIZE + name.length + extraSize(large));
  view.setUint32(0, 0x04034b50, true);
  view.setUint16(4, large.length > 0 ? VERSION_ZIP64 : VERSION, true);
  putDescription(view, 6, entry, extraSize(large));
  bytes.set(name, LOCAL_SIZE);
  putExtra(view, LOCAL_SIZE + name.length, large);
  return bytes;
}

function centralHeader(entry: ZippedEntry): Uint8Array {
  const { name, size, offset } = entry;
  const large = [...(size >= ONES_32 ? [size, size] : []), ...(offset >= ONES_32 ? [offset] : [])];
  const { bytes, view } = record(CENTRAL_SIZE + name.length + extraSize(large));
  const version = large.length > 0 ? VERSION_ZIP64 : VERSION;
  view.setUint32(0, 0x02014b50, true);
  view.setUint16(4, UNIX | version, true);
  view.setUint16(6, version, true);
  putDescription(view, 8, entry, extraSize(large));
  view.setUint32(38, MODE, true);
  view.setUint32(42, Math.min(offset, ONES_32), true);
  bytes.set(name, CENTRAL_SIZE);
  putExtra(view, CENTRAL_SIZE + name.length, large);
  return bytes;
}

/** Encodes the end records of an archive whose directory has `count` entries and `size` bytes, starting at `offset`. */
function endRecords(count: number, size: number, offset: number): Uint8Array {
  const large = count >= ONES_16 || size >= ONES_32 || offset >= ONES_32;
  const before = large ? END64_SIZE + LOCATOR_SIZE : 0;
  const { bytes, view } = record(before + END_SIZE);
  if (large) {
    view.setUint32(0, 0x06064b50, true);
    view.setBigUint64(4, BigInt(END64_SIZE - 12), true);
    view.setUint16(12, UNIX | VERSION_ZIP64, true);
    view.setUint16(14, VERSION_ZIP64, true);
    view.setBigUint64(24, BigInt(count), true);
    view.setBigUint64(32, BigInt(count), true);
    view.setBigUint64(40, BigInt(size), true);
    view.setBigUint64(48, BigInt(offset), true);
    view.setUint32(END64_SIZE, 0x07064b50, true);
    view.setBigUint64(END64_SIZE + 8, BigInt(offset + size), true);
    view.setUint32(END64_SIZE + 16, 1, true);
  }
  view.setUint32(before, 0x06054b50, true);
  view.setUint16(before + 8, Math.min(count, ONES_16), true);
  view.setUint16(before + 10, Math.min(count, ONES_16), true);
  view.setUint32(before + 12, Math.min(size, ONES_32), true);
  view.setUint32(before + 16, Math.min(offset, ONES_32), true);
  return bytes;
}

function record(size: number): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = new Uint8Array(size);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Writes the fields that both kinds of header contain in the same order. */
function putDescription(view: DataView, at: number, { crc, size, name }: ZippedEntry, extra: number): void {
  view.setUint16(at, UTF8_NAME, true);
  view.setUint16(at + 2, STORED, true);
  view.setUint16(at + 6, DATE, true);
  view.setUint32(at + 8, crc, true);
  view.setUint32(at + 12, Math.min(size, ONES_32), true);
  view.setUint32(at + 16, Math.min(size, ONES_32), true);
  view.setUint16(at + 20, name.length, true);
  view.setUint16(at + 22, extra, true);
}

function extraSize(large: readonly number[]): number {
  return large.length === 0 ? 0 : 4 + 8 * large.length;
}

/** Writes the Zip64 extra field: the values that do not fit elsewhere, in order. */
function putExtra(view: DataView, at: number, large: readonly number[]): void {
  if (large.length === 0) return;
  view.setUint16(at, 1, true);
  view.setUint16(at + 2, 8 * large.length, true);
  large.forEach((value, index) => {
    view.setBigUint64(at + 4 + 8 * index, BigInt(value), true);
  });
}
