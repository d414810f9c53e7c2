import type { ByteSource, ReadOptions } from "../source.js";
import { blockCache } from "./block-cache.js";
import { type HttpFileOptions, openHttpFile } from "./http-bytes.js";

/** Bytes of one block, and of the first request. */
const BLOCK_BYTES = 1 << 16;

/**
 * A file on the web: read by ranges, small reads through a cache of blocks.
 * @throws as `openHttpFile`.
 */
export async function remoteFile(
  url: string | URL,
  options: HttpFileOptions = {},
  read?: ReadOptions,
): Promise<ByteSource> {
  const { source, head } = await openHttpFile(url, { headBytes: BLOCK_BYTES, ...options }, read);
  return head.length === source.size ? source : blockCache(source, { blockBytes: BLOCK_BYTES, head });
}
