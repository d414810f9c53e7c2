/** Of Parquet pages. */
export const PARQUET_COMPRESSIONS = ["zstd", "snappy", "gzip", "lz4", "none"] as const;
export type ParquetCompression = (typeof PARQUET_COMPRESSIONS)[number];

export function isParquetCompression(name: string): name is ParquetCompression {
  return PARQUET_COMPRESSIONS.some((known) => known === name);
}
