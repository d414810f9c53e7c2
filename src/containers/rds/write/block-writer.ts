const BLOCK = 2 ** 16;

/** Collects words into blocks, so that not each of them is a piece of its own. */
export class BlockWriter {
  #block = new Uint8Array(BLOCK);
  #view = new DataView(this.#block.buffer);
  #length = 0;
  #full: Uint8Array<ArrayBuffer>[] = [];

  int(value: number): void {
    if (this.#length + 4 > BLOCK) this.#close();
    this.#view.setInt32(this.#length, value);
    this.#length += 4;
  }

  /** The bytes are copied, unless they are many: those must not change any more. */
  bytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#length + bytes.length > BLOCK) this.#close();
    if (bytes.length > BLOCK) this.#full.push(bytes);
    else {
      this.#block.set(bytes, this.#length);
      this.#length += bytes.length;
    }
  }

  #close(): void {
    this.#full.push(this.#block.subarray(0, this.#length));
    this.#block = new Uint8Array(BLOCK);
    this.#view = new DataView(this.#block.buffer);
    this.#length = 0;
  }

  /** The blocks that are done; to be called often, since they are kept until then. */
  *full(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    if (this.#full.length === 0) return;
    const blocks = this.#full;
    this.#full = [];
    yield* blocks;
  }

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  *rest(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    this.#close();
    yield* this.full();
  }
}
