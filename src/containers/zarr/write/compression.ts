import type { ChunkEncoding } from "../../tree/container-writer.js";
import type { JsonValue } from "./json-text.js";

/** How chunks are compressed. */
export type ZarrCompression =
  | { readonly kind: "none" }
  | { readonly kind: "gzip"; readonly level: number }
  | { readonly kind: "zstd"; readonly level: number }
  | {
      readonly kind: "blosc";
      readonly cname: "lz4" | "zstd";
      readonly clevel: number;
      readonly shuffle: "none" | "byte";
    };

/** One compression of items of a certain size: what is done, and what documents say of it. */
export interface ChunkCompression {
  readonly encoding: ChunkEncoding;
  /** v2's `compressor`. */
  readonly compressor: JsonValue;
  /** v3's codecs behind the one that makes bytes. */
  readonly codecs: readonly JsonValue[];
}

const UNCOMPRESSED: ChunkCompression = { encoding: [], compressor: null, codecs: [] };

/** Blosc's header has one byte for it. */
const MAX_BLOSC_ELEMENT = 255;

/**
 * How v3's chunks inside of shards are compressed: with a checksum each, since they are read by themselves and no check
 * of a file as a whole sees them. That of zstd costs nothing that can be measured, gzip always has one.
 */
export function checkedCompression(compression: ZarrCompression, itemSize: number | null): ChunkCompression {
  const { compressor, encoding, codecs } = chunkCompression(compression, itemSize);
  switch (compression.kind) {
    case "gzip":
      return { compressor, encoding, codecs };
    case "zstd": {
      const { level } = compression;
      return {
        compressor,
        encoding: [{ kind: "zstd", level, checksum: true }],
        codecs: [{ name: "zstd", configuration: { level, checksum: true } }],
      };
    }
    case "none":
    case "blosc":
      return { compressor, encoding: [...encoding, { kind: "crc32c" }], codecs: [...codecs, { name: "crc32c" }] };
    default:
      return compression satisfies never;
  }
}

/** `itemSize` null: items of variable size, whose bytes nothing is gained by shuffling. */
export function chunkCompression(compression: ZarrCompression, itemSize: number | null): ChunkCompression {
  switch (compression.kind) {
    case "none":
      return UNCOMPRESSED;
    case "gzip": {
      const { level } = compression;
      return {
        encoding: [{ kind: "deflate", level, form: "gzip" }],
        compressor: { id: "gzip", level },
        codecs: [{ name: "gzip", configuration: { level } }],
      };
    }
    case "zstd": {
      const { level } = compression;
      return {
        encoding: [{ kind: "zstd", level, checksum: false }],
        // numcodecs before 0.12 refuses `checksum`.
        compressor: { id: "zstd", level },
        codecs: [{ name: "zstd", configuration: { level, checksum: false } }],
      };
    }
    case "blosc": {
      const { cname, clevel } = compression;
      const elementBytes = itemSize === null || itemSize > MAX_BLOSC_ELEMENT ? 1 : itemSize;
      const shuffle = elementBytes === 1 ? "none" : compression.shuffle;
      return {
        encoding: [{ kind: "blosc", cname, clevel, shuffle, elementBytes }],
        compressor: { id: "blosc", cname, clevel, shuffle: shuffle === "byte" ? 1 : 0, blocksize: 0 },
        codecs: [
          {
            name: "blosc",
            configuration: {
              typesize: elementBytes,
              cname,
              clevel,
              shuffle: shuffle === "byte" ? "shuffle" : "noshuffle",
              blocksize: 0,
            },
          },
        ],
      };
    }
    default:
      return compression satisfies never;
  }
}
