import type { ChunkEncoding } from "../../tree/container-writer.js";
import type { JsonValue } from "./json-text.js";

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

/** The compression for items of a certain size: the encoding steps, and the codecs in the metadata documents. */
export interface ChunkCompression {
  readonly encoding: ChunkEncoding;
  /** The `compressor` in v2. */
  readonly compressor: JsonValue;
  /** The v3 codecs that follow the codec from items to bytes. */
  readonly codecs: readonly JsonValue[];
}

const UNCOMPRESSED: ChunkCompression = { encoding: [], compressor: null, codecs: [] };

/** Maximum element size for Blosc, whose header stores the size in one byte. */
const MAX_BLOSC_ELEMENT = 255;

/**
 * Compresses v3 chunks inside shards, with a checksum for each chunk. Such chunks are read separately, so no check of
 * the whole file covers them. zstd's checksum costs no measurable time, and gzip always includes one.
 */
export function createCheckedCompression(compression: ZarrCompression, itemSize: number | null): ChunkCompression {
  const { compressor, encoding, codecs } = createChunkCompression(compression, itemSize);
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

/**
 * Creates the compression for a chunk. A null `itemSize` means items of variable size, whose bytes gain nothing from
 * shuffling.
 */
export function createChunkCompression(compression: ZarrCompression, itemSize: number | null): ChunkCompression {
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
        // numcodecs before 0.12 rejects `checksum`.
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
