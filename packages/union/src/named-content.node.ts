/** Names files by their content. */

import { createHash } from "node:crypto";
import type { AddedFile } from "./store.js";

/** Number of hexadecimal digits of the hash in a file name. */
const DIGITS = 16;

/** Bytes that are hashed as they are written. */
export interface NamedContent {
  readonly chunks: AsyncGenerator<Uint8Array>;
  /** Returns the resulting file, once all chunks have been written. */
  added(): AddedFile;
}

/** @param nameOf path of the file by the hash of its content. */
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
