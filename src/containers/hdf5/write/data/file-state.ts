/** What all objects of a file that is being written share. */

import type { ChunkEncoding } from "../../../tree/chunk-encoding.js";
import type { WrittenType } from "../../../tree/container-writer.js";
import type { ChunkQueue } from "../space/chunk-queue.js";
import type { FileSpace } from "../space/file-space.js";
import type { GlobalHeapWriter } from "../space/global-heap.js";
import type { ActionQueue } from "../space/turns.js";
import { isVariable } from "../values/element-bytes.js";

export interface FileState {
  /** What errors call the file. */
  readonly name: string;
  readonly space: FileSpace;
  readonly heap: GlobalHeapWriter;
  readonly queue: ChunkQueue;
  readonly turns: ActionQueue;
  readonly compression: Hdf5Compression;
  readonly shuffle: Shuffle;
  readonly fletcher32: boolean;
  readonly compactBytes: number;
  readonly chunkK: number;
  readonly openArrays: Set<string>;
  closed: boolean;
}

export type Shuffle = "none" | "integers" | "all";

export type Hdf5Compression = { readonly kind: "gzip"; readonly level: number } | { readonly kind: "none" };

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
