/** What all objects of a file that is being written share. */

import type { ChunkEncoding } from "../../chunk-encoding.js";
import type { WrittenType } from "../../container-writer.js";
import type { ChunkQueue } from "./chunk-queue.js";
import { isVariable } from "./element-bytes.js";
import type { FileSpace } from "./file-space.js";
import type { GlobalHeap } from "./global-heap.js";
import type { Turns } from "./turns.js";

export interface FileState {
  /** What errors call the file. */
  readonly name: string;
  readonly space: FileSpace;
  readonly heap: GlobalHeap;
  readonly queue: ChunkQueue;
  readonly turns: Turns;
  readonly compression: Compression;
  readonly shuffle: Shuffle;
  readonly fletcher32: boolean;
  readonly compactBytes: number;
  readonly chunkK: number;
  readonly openArrays: Set<string>;
  closed: boolean;
}

export type Shuffle = "none" | "integers" | "all";

export type Compression = { readonly kind: "gzip"; readonly level: number } | { readonly kind: "none" };

/** What happens to the chunks of an array. */
export function chunkEncoding(
  file: FileState,
  type: WrittenType,
  elementBytes: number,
  compressed: boolean,
): ChunkEncoding {
  const { compression, shuffle, fletcher32 } = file;
  const deflate = compressed && compression.kind === "gzip" ? compression : null;
  // libhdf5 gives arrays that point into a heap no filter that they cannot do without.
  const variable = isVariable(type);
  const whole = type.kind === "int" || type.kind === "enum" || variable;
  const regroups = elementBytes > 1 && (shuffle === "all" || (shuffle === "integers" && whole));
  return [
    ...(deflate !== null && regroups ? [{ kind: "shuffle", elementBytes } as const] : []),
    ...(deflate !== null ? [{ kind: "deflate", level: deflate.level, form: "zlib" } as const] : []),
    ...(fletcher32 && !variable ? [{ kind: "fletcher32" } as const] : []),
  ];
}
