/** What happens to the bytes of a chunk before they are stored, as plain data: workers do it. */

export type EncodingStep =
  /** Byte i of every element together, for all i. */
  | { readonly kind: "shuffle"; readonly elementBytes: number }
  | { readonly kind: "deflate"; readonly level: number; readonly form: "zlib" | "gzip" }
  | { readonly kind: "zstd"; readonly level: number; readonly checksum: boolean }
  | {
      readonly kind: "blosc";
      readonly cname: "lz4" | "zstd";
      readonly clevel: number;
      readonly shuffle: "none" | "byte";
      readonly elementBytes: number;
    }
  /** HDF5's checksum, 4 bytes behind the data. */
  | { readonly kind: "fletcher32" }
  /** Zarr's checksum, 4 bytes behind the data. */
  | { readonly kind: "crc32c" };

/** In the order in which they are done. */
export type ChunkEncoding = readonly EncodingStep[];
