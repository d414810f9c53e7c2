/** A Parquet column chunk once it is encoded, and what the encoders of all kinds of values share. */

import type { Compressor } from "../../kernels/codecs/compress.js";
import type { ParquetKernels } from "../../kernels/parquet/parquet-kernels.js";
import type { ChunkPages } from "./chunk-writer.js";
import type { PageLevels } from "./page-levels.js";

/** What the footer says of a chunk. */
export interface EncodedColumnChunk extends ChunkPages {
  /** Missing ones included. */
  readonly values: number;
  readonly nulls: number;
  readonly statistics: Bounds | null;
}

/** The least and the greatest value, as PLAIN bytes; text without its length. */
export interface Bounds {
  readonly least: Uint8Array;
  readonly greatest: Uint8Array;
}

/** What an encoder of one kind of values makes of a chunk. */
export interface EncodedPages {
  readonly parts: readonly Uint8Array[];
  readonly pages: ChunkPages;
  readonly statistics: Bounds | null;
}

/** What the encoders of all kinds of values share. */
export interface ChunkTools {
  readonly compress: Compressor | null;
  readonly kernels: ParquetKernels;
  readonly levels: PageLevels;
}
