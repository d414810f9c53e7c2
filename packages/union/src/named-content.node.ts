/** Names files by their content. */

import { createHash } from "node:crypto";
import type { AddedFile } from "./store.js";

/** Number of hexadecimal digits that a file name takes from the hash. */
const DIGITS = 16;

/** Bytes that are hashed while they are written. */
export interface NamedContent {
  readonly chunks: AsyncGenerator<Uint8Array>;
  /** Returns the resulting file. Valid only when all chunks have been written. */
  added(): AddedFile;
}

/** @param nameOf returns the path of the file for the hash of its content. */
export function createNamedContent(nameOf: (hash: string) => string, chunks: AsyncIterable<Uint8Array>): NamedContent {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  return {
    chunks: hashed(),
    added() {
      const sha256 = hash.digest("hex");
      return { file: nameOf(sha256.slice(0, DIGITS)), bytes, sha256 };
    },
  };
}
