/**
 * Compresses the parts of a gzip file in any order, and stores them until their position in the file is known. If the
 * platform can end a part at a byte boundary, all parts form one member; otherwise each part is a member.
 */

import type { ByteSpill, ChunkEncoder, ChunkEncoding } from "annarrow/core/containers";
import type { ByteTarget } from "annarrow/core/io";
import { combineCrc32 } from "annarrow/core/kernels";
import { platform } from "annarrow/core/platform";

export interface PartStoreOptions {
  readonly encoder: ChunkEncoder;
  /** The gzip level; null for no compression. */
  readonly level: number | null;
  /** null if all parts stay in memory. */
  readonly spill: ByteSpill | null;
}

/** Size of a part in bytes before compression. */
export const PART_BYTES = 2 ** 19;

/** Maximum size in bytes of the encoded parts in memory. Because of it, small files need no temporary file. */
const HELD_BYTES = 2 ** 23;

/** Maximum size in bytes of a piece that is read back. */
const COPY_BYTES = 2 ** 22;

const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** An empty last block of a deflate stream. */
const LAST_BLOCK = Uint8Array.of(3, 0);

export interface MemberPart {
  /** Bytes before compression. */
  readonly length: number;
  /** Resolves when the part is stored. */
  readonly kept: Promise<KeptPart>;
}

interface KeptPart {
  readonly crc: number;
  readonly size: number;
  /** The bytes, or their offset in the spill. */
  readonly place: Uint8Array | number;
}

/** A byte sequence stored as parts. */
interface PartRun {
  readonly length: number;
  finish(): { readonly parts: readonly MemberPart[]; readonly rest: Uint8Array };
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

type Form = "joined" | "members" | "plain";

export class PartStore {
  readonly #encoder: ChunkEncoder;
  readonly #spill: ByteSpill | null;
  readonly #form: Form;
  readonly #encoding: ChunkEncoding;
  readonly #open = new Set<Promise<unknown>>();
  #held = 0;

  constructor({ encoder, level, spill }: PartStoreOptions) {
    this.#encoder = encoder;
    this.#spill = spill;
    this.#form = level === null ? "plain" : platform.deflatePart === null ? "members" : "joined";
    this.#encoding = encodingOf(this.#form, level ?? 0);
  }

  memory(bytes: number): Uint8Array<ArrayBuffer> {
    return this.#encoder.memory(bytes);
  }

  /** Starts to encode a part. The part's memory then belongs to the store. Waits if many parts are being encoded. */
  async add(bytes: Uint8Array<ArrayBuffer>): Promise<MemberPart> {
    const { length } = bytes;
    const kept = this.#keep(bytes);
    // The error is thrown when the part is written.
    const ended = kept.then(
      () => undefined,
      () => undefined,
    );
    this.#open.add(ended);
    void ended.then(() => this.#open.delete(ended));
    if (this.#open.size > this.#encoder.window) await Promise.race(this.#open);
    return { length, kept };
  }

  async #keep(bytes: Uint8Array<ArrayBuffer>): Promise<KeptPart> {
    const encoded = await this.#encoder.encode(bytes, this.#encoding);
    const isJoined = this.#form === "joined";
    const size = isJoined ? encoded.length - 4 : encoded.length;
    const crc = isJoined ? new DataView(encoded.buffer, encoded.byteOffset + size).getUint32(0, true) : 0;
    const data = encoded.subarray(0, size);
    if (this.#spill === null || this.#held + size <= HELD_BYTES) {
      this.#held += size;
      return { crc, size, place: data.slice() };
    }
    return { crc, size, place: await this.#spill.append([data]) };
  }

  /** True if two byte sequences have equal parts. Compares their compressed bytes. */
  async isSame(one: PartRun, other: PartRun | undefined): Promise<boolean> {
    if (other === undefined || one.length !== other.length) return false;
    const [mine, theirs] = [one.finish(), other.finish()];
    if (!areEqual(mine.rest, theirs.rest)) return false;
    for (const [i, part] of mine.parts.entries()) {
      const [a, b] = await Promise.all([part.kept, theirs.parts[i].kept]);
      if (a.size !== b.size || !areEqual(await this.#bytesOf(a), await this.#bytesOf(b))) return false;
    }
    return true;
  }

  async #bytesOf({ size, place }: KeptPart): Promise<Uint8Array> {
    if (typeof place !== "number") return place;
    const bytes = new Uint8Array(size);
    await this.#spill?.read(place, bytes);
    return bytes;
  }

  /** Writes the file that consists of these parts, in order. */
  async write(parts: readonly MemberPart[], target: ByteTarget, signal?: AbortSignal): Promise<void> {
    const isJoined = this.#form === "joined";
    let at = 0;
    let crc = 0;
    let length = 0;
    const put = async (bytes: Uint8Array) => {
      signal?.throwIfAborted();
      await target.write(at, bytes);
      at += bytes.length;
    };
    if (isJoined) await put(HEADER);
    for (const part of parts) {
      const { crc: own, size, place } = await part.kept;
      if (isJoined) crc = combineCrc32(crc, own, part.length);
      length += part.length;
      if (typeof place === "number") await this.#copy(place, size, put);
      else await put(place);
    }
    if (!isJoined) return;
    const end = new Uint8Array(LAST_BLOCK.length + 8);
    end.set(LAST_BLOCK);
    const view = new DataView(end.buffer, LAST_BLOCK.length);
    view.setUint32(0, crc, true);
    view.setUint32(4, length % 2 ** 32, true);
    await put(end);
  }

  async #copy(offset: number, size: number, put: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    for (let done = 0; done < size; done += COPY_BYTES) {
      const piece = new Uint8Array(Math.min(COPY_BYTES, size - done));
      await this.#spill?.read(offset + done, piece);
      await put(piece);
    }
  }

  /** Waits for the parts that are being encoded, and removes the spilled parts. */
  async close(): Promise<void> {
    await Promise.all(this.#open);
    await this.#spill?.remove();
  }
}

function encodingOf(form: Form, level: number): ChunkEncoding {
  switch (form) {
    case "plain":
      return [];
    case "joined":
      return [{ kind: "gzip-part", level }];
    case "members":
      return [{ kind: "deflate", form: "gzip", level }];
    default:
      return form satisfies never;
  }
}
