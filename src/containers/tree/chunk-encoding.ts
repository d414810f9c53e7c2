/** What encodes chunks, for those who write them. */

import type { ChunkEncoding } from "../../kernels/codecs/chunk-encoding.js";

export type { ChunkEncoding, EncodingStep } from "../../kernels/codecs/chunk-encoding.js";

/** Encodes chunks, in workers where there are any. */
export interface ChunkEncoder {
  /** How many chunks it is worth to have under way at once: of the size that `memory` was last asked for. */
  readonly window: number;
  /** Memory for a chunk of so many bytes, as it was left or zeros; what `encode` took comes back here. */
  memory(bytes: number): Uint8Array<ArrayBuffer>;
  /** The chunk encoded. `chunk` is from `memory`, whole, and gone once this is called. */
  encode(chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding): Promise<Uint8Array>;
  /** Ends what is still under way. */
  close(): void;
}
