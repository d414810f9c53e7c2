/** The decompressed bytes of a file, from the beginning to the end. */

export interface ByteStream {
  /** The next bytes, never none; null at the end. They may be a view of memory that is another's. */
  pull(): Promise<Uint8Array | null>;
  /** Puts the next bytes, which are there, into `target`; absent where that spares nothing. */
  fill?(target: Uint8Array): Promise<void>;
  /** The most bytes that can still come. */
  room(): number;
  cancel(): Promise<void>;
}
