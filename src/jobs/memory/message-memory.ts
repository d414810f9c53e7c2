/** Memory of messages that nobody looks at any more, for later ones: fresh memory costs more than what is written to it. */

export interface MessageMemory {
  /** Exactly so many bytes, whatever they hold. */
  take(bytes: number): Uint8Array<ArrayBuffer>;
  /** As many blocks as there are, `count` at most, each with room for about so many bytes. They may move away. */
  spare(bytes: number, count: number): ArrayBuffer[];
}
