/** The pages of one column chunk, compressed where it pays. */

import type { Compressor } from "../../kernels/compress.js";
import { dataPageHeader, dictionaryPageHeader, ENCODING, type Encoding } from "./page.js";

/** What the footer says of the pages of a chunk. */
export interface ChunkPages {
  readonly encodings: readonly Encoding[];
  readonly compressed: boolean;
  /** Bytes of headers and bodies, before and after compression. */
  readonly rawBytes: number;
  readonly storedBytes: number;
  /** Position of the first data page, behind the dictionary page if there is one. */
  readonly dataOffset: number;
  readonly hasDictionary: boolean;
}

/**
 * Collects the pages of a chunk. The first data page decides for all of them whether they are compressed, since a
 * chunk has one codec: what is packed into few bits hardly shrinks further, and would only cost time.
 */
export class ChunkWriter {
  readonly #compress: Compressor | null;
  readonly #encoding: Encoding;
  readonly #parts: Uint8Array[] = [];
  #compressed: boolean | null;
  #rawBytes = 0;
  #storedBytes = 0;

  constructor(encoding: Encoding, compress: Compressor | null) {
    this.#encoding = encoding;
    this.#compress = compress;
    this.#compressed = compress === null ? false : null;
  }

  /** Adds a data page; `body` may be overwritten afterwards. */
  async dataPage(body: Uint8Array, values: number): Promise<void> {
    const stored = await this.#stored(body);
    this.#add(this.#parts.length, dataPageHeader(values, this.#encoding, body.length, stored.length), body, stored);
  }

  /** The whole chunk, with the dictionary page in front. */
  async finish(
    dictionary: { readonly body: Uint8Array; readonly values: number } | null,
  ): Promise<{ parts: readonly Uint8Array[]; pages: ChunkPages }> {
    const dataBytes = this.#storedBytes;
    if (dictionary !== null) {
      const { body, values } = dictionary;
      const stored = await this.#stored(body);
      this.#add(0, dictionaryPageHeader(values, body.length, stored.length), body, stored);
    }
    const pages = {
      encodings: encodingsOf(this.#encoding),
      compressed: this.#compressed ?? false,
      rawBytes: this.#rawBytes,
      storedBytes: this.#storedBytes,
      dataOffset: this.#storedBytes - dataBytes,
      hasDictionary: dictionary !== null,
    };
    return { parts: this.#parts, pages };
  }

  #add(at: number, header: Uint8Array, body: Uint8Array, stored: Uint8Array): void {
    this.#parts.splice(at, 0, header, stored);
    this.#rawBytes += header.length + body.length;
    this.#storedBytes += header.length + stored.length;
  }

  async #stored(body: Uint8Array): Promise<Uint8Array> {
    if (this.#compress === null || this.#compressed === false) return body.slice();
    const compressed = await this.#compress(body);
    this.#compressed ??= compressed.length < (1 - leastSaving(this.#encoding)) * body.length;
    return this.#compressed ? compressed : body.slice();
  }
}

/** Differences are packed already: where a tenth is all that compression saves, its time is better saved. */
function leastSaving(encoding: Encoding): number {
  return encoding === ENCODING.DELTA_BINARY_PACKED ? 0.15 : 0.02;
}

/** All encodings in a chunk, levels and dictionary included, as readers expect them to be listed. */
function encodingsOf(encoding: Encoding): readonly Encoding[] {
  return encoding === ENCODING.RLE_DICTIONARY
    ? [ENCODING.PLAIN, ENCODING.RLE, ENCODING.RLE_DICTIONARY]
    : [ENCODING.RLE, encoding];
}
