import { crc32 } from "../kernels/checksums/checksums.js";
import { InvalidInputError } from "../model/errors.js";
import { keySegments } from "../sources/key.js";
import { setTwice } from "./map.js";
import type { ByteTarget, KeyValueTarget } from "./target.js";
import { centralHeader, endRecords, localHeader, type ZippedEntry } from "./zip-records.js";

/** The length of a name has 16 bits. */
const MAX_NAME = 0xffff;

/** Values up to this size go out in one piece with their header. */
const JOINED = 1 << 15;

/** The directory is gathered in blocks of this size. */
const BLOCK = 1 << 16;

/**
 * A store in a zip archive, written from front to back onto `target`: one stored entry per key, Zip64 where it is
 * needed, and the same bytes whenever the same values come in the same order. `target` is committed and aborted with it.
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
    keySegments(key);
    if (this.#keys.has(key)) throw setTwice(key, this.name);
    const name = new TextEncoder().encode(key);
    if (name.length > MAX_NAME) {
      throw new InvalidInputError(`a key of ${name.length} bytes, a zip archive holds at most ${MAX_NAME}`, {
        source: this.name,
        element: `${key.slice(0, 100)}…`,
      });
    }
    const entry = { name, crc: crc32(bytes), size: bytes.length, offset: this.#offset };
    const header = localHeader(entry);
    this.#keys.add(key);
    this.#directory.add(centralHeader(entry));
    this.#offset += header.length + bytes.length;
    this.#underWay++;
    try {
      await this.#put(entry, header, bytes);
    } catch (error) {
      // The directory speaks of it, so the archive is lost.
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

/** Many small records, in few pieces of memory. */
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
