/** Bytes of chunks in a shard before they are compressed, and in all shards that are made in memory at the same time. */
const SHARD_BYTES = 64 * 1024 * 1024;
const ALL_SHARDS_BYTES = 128 * 1024 * 1024;
/** Chunks in a shard; each takes 16 bytes of its index. */
const MAX_SLOTS = 65_536;

/**
 * Bands of chunks in a shard, which spans all columns.
 * @param bands All there are; null where that is not known.
 * @param bandBytes Bytes of one band before it is compressed.
 * @param grid Chunks of one band.
 * @param open Arrays that are open at the same time.
 */
export function shardBands(bands: number | null, bandBytes: number, grid: number, open: number): number {
  const bytes = Math.min(SHARD_BYTES, ALL_SHARDS_BYTES / open);
  const most = Math.min(Math.floor(bytes / Math.max(1, bandBytes)), Math.floor(MAX_SLOTS / Math.max(1, grid)));
  return Math.max(1, Math.min(most, bands ?? most));
}
