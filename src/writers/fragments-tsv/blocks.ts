/** Text as block gzip. */

import type { ChunkEncoder } from "../../containers/tree/chunk-encoding.js";
import type { ChunkEncoding } from "../../kernels/codecs/chunk-encoding.js";
import { BGZF_END, BLOCK_TEXT, bgzfBlock } from "../../kernels/codecs/deflate/bgzf.js";

/** As BPCells does; it is fast, and barcodes compress no better. */
const GZIP: ChunkEncoding = [{ kind: "deflate", form: "gzip", level: 1 }];

/** The blocks of the text, compressed by `encoder`, and the empty one at the end. */
export async function* compressedBlocks(
  pieces: AsyncIterable<Uint8Array>,
  encoder: ChunkEncoder,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const under: Promise<Uint8Array>[] = [];
  let block = encoder.memory(BLOCK_TEXT);
  let filled = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + BLOCK_TEXT - filled);
      block.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < BLOCK_TEXT) break;
      under.push(encoder.encode(block, GZIP));
      block = encoder.memory(BLOCK_TEXT);
      filled = 0;
      if (under.length >= encoder.window) yield* first(under, signal);
    }
  }
  if (filled > 0) {
    const last = encoder.memory(filled);
    last.set(block.subarray(0, filled));
    under.push(encoder.encode(last, GZIP));
  }
  while (under.length > 0) yield* first(under, signal);
  yield BGZF_END;
}

async function* first(under: Promise<Uint8Array>[], signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const member = await under.shift();
  signal?.throwIfAborted();
  if (member !== undefined) yield bgzfBlock(member);
}
