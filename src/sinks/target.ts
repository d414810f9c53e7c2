/** Where files are written: all of them or none. */
export interface Target {
  /** Writes one file, at most one at a time; where that fails the file is gone. `path` is relative, divided by `/`. */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes what was written visible under its real name. */
  commit(): Promise<void>;
  /** Removes what was written. After `commit` it does nothing. */
  abort(): Promise<void>;
}
