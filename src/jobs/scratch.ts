/** Memory for what a job decodes, used again by the next one: fresh memory costs as much as decoding LZF does. */

export class Scratch {
  #free: Uint8Array[] = [];
  #taken: Uint8Array[] = [];

  /** Exactly `bytes` bytes, whatever they hold, until the next `release`. */
  take(bytes: number): Uint8Array {
    const at = this.#free.findIndex((block) => block.length >= bytes && block.length <= 2 * bytes + MIN_BLOCK);
    const block = at < 0 ? new Uint8Array(Math.max(MIN_BLOCK, roundedUp(bytes))) : this.#free.splice(at, 1)[0];
    this.#taken.push(block);
    return block.subarray(0, bytes);
  }

  /** Ends the use of all that was taken; what was not used since the last time is given back to the system. */
  release(): void {
    this.#free = this.#taken;
    this.#taken = [];
  }
}

const MIN_BLOCK = 2 ** 16;

/** A little more than asked for: the next job may have a few rows more. */
function roundedUp(bytes: number): number {
  return Math.ceil((bytes * 17) / 16 / MIN_BLOCK) * MIN_BLOCK;
}
