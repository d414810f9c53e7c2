/** Memory of chunks that has come back. */
export class ChunkBufferPool {
  readonly #most: number;
  #free: ArrayBuffer[] = [];
  #bytes = 0;

  /** @param most bytes that wait for their next use. */
  constructor(most: number) {
    this.#most = most;
  }

  /** So many bytes, as they were left or zeros. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    const found = this.#free.findLastIndex((buffer) => buffer.byteLength === bytes);
    if (found < 0) return new Uint8Array(bytes);
    this.#bytes -= bytes;
    return new Uint8Array(this.#free.splice(found, 1)[0]);
  }

  /** What came back first goes first where there is too much: its size may no longer be wanted. */
  giveBack(buffer: ArrayBuffer): void {
    this.#free.push(buffer);
    this.#bytes += buffer.byteLength;
    while (this.#bytes > this.#most) this.#bytes -= this.#free.shift()?.byteLength ?? this.#bytes;
  }
}
