/**
 * An image of libhdf5's cache: metadata that is stored nowhere else in the file, or that is newer than the stored
 * version. Source: libhdf5's H5Cimage.c; the HDF5 File Format Specification (IV.A.2.y) describes only the message.
 */

import type { ByteSource, ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor, type FieldSizes } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";

/** Maximum size of an image in bytes, because it stays in memory. */
const MAX_BYTES = 2 ** 28;

/** A range of metadata bytes, and its position in the file. */
interface Patch {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/**
 * Returns the source with the image's metadata at the addresses where it belongs.
 * @param base the position of the file's signature.
 * @param message the body of the message in the superblock's extension.
 * @throws {InvalidDataError} if the image is damaged, or if parts of it overlap.
 */
export async function withCacheImage(
  source: ByteSource,
  base: number,
  sizes: FieldSizes,
  message: Uint8Array,
  options?: ReadOptions,
): Promise<ByteSource> {
  const cursor = new Cursor(message, "metadata cache image");
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`metadata cache image has version ${version}; only 0 exists`);
  const start = base + cursor.uint(sizes.offsets);
  const length = cursor.uint(sizes.lengths);
  if (length > MAX_BYTES || start + length > source.size) {
    throw new InvalidDataError(`metadata cache image of ${length} bytes at ${start}, in a file of ${source.size}`);
  }
  const bytes = (await source.read(start, start + length, options)).slice();
  return new PatchedSource(source, patchesOf(bytes, base, sizes, source.size));
}

function patchesOf(bytes: Uint8Array, base: number, sizes: FieldSizes, fileBytes: number): readonly Patch[] {
  const what = "metadata cache image";
  const cursor = new Cursor(bytes, what);
  if (String.fromCharCode(...cursor.take(4)) !== "MDCI" || cursor.u8() !== 0) {
    throw new InvalidDataError(`there is no ${what}`);
  }
  verifyChecksum(bytes, what);
  cursor.skip(1);
  cursor.uint(sizes.lengths);
  const count = cursor.u32();
  const patches: Patch[] = [];
  for (let i = 0; i < count; i++) {
    // Skips the type, flags, ring, age, and the counts of entries that must be written first.
    cursor.skip(8);
    const parents = cursor.u16();
    cursor.skip(4);
    const start = base + cursor.uint(sizes.offsets);
    const size = cursor.uint(sizes.lengths);
    cursor.skip(parents * sizes.offsets);
    if (start + size > fileBytes) {
      throw new InvalidDataError(`${what} has ${size} bytes for position ${start}, the file ${fileBytes}`);
    }
    patches.push({ start, bytes: cursor.take(size) });
  }
  patches.sort((a, b) => a.start - b.start);
  for (let i = 1; i < patches.length; i++) {
    const before = patches[i - 1];
    if (before.start + before.bytes.length > patches[i].start) {
      throw new InvalidDataError(`${what} has two pieces of metadata for position ${patches[i].start}`);
    }
  }
  return patches;
}

/** A source that replaces some of its file's bytes. Workers cannot open it, and its bytes are never cached. */
class PatchedSource implements ByteSource {
  readonly kind = "bytes";
  readonly name: string;
  readonly size: number;
  readonly #source: ByteSource;
  /** Ordered by position and disjoint. */
  readonly #patches: readonly Patch[];

  constructor(source: ByteSource, patches: readonly Patch[]) {
    this.name = source.name;
    this.size = source.size;
    this.#source = source;
    this.#patches = patches;
  }

  async read(start: number, end: number, options?: ReadOptions): Promise<Uint8Array> {
    const stored = await this.#source.read(start, end, options);
    let bytes: Uint8Array | null = null;
    for (let i = this.#firstBehind(start); i < this.#patches.length && this.#patches[i].start < end; i++) {
      const patch = this.#patches[i];
      bytes ??= stored.slice();
      const from = Math.max(start, patch.start);
      const to = Math.min(end, patch.start + patch.bytes.length);
      bytes.set(patch.bytes.subarray(from - patch.start, to - patch.start), from - start);
    }
    return bytes ?? stored;
  }

  /** Returns the index of the first patch that ends after a position. */
  #firstBehind(position: number): number {
    let [low, high] = [0, this.#patches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { start, bytes } = this.#patches[middle];
      if (start + bytes.length > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  async checkUnchanged(): Promise<void> {
    await this.#source.checkUnchanged?.();
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}
