/** Caches whole values: each is read once, and shared by all reads of its parts. */

interface Kept {
  readonly size: number;
  readonly bytes: Promise<Uint8Array>;
}

/** Keeps the values that were used last, up to a number of bytes; a larger value is kept alone. */
export class KeptValues<K> {
  readonly #most: number;
  /** Values in the order of use, the last used one last. */
  readonly #kept = new Map<K, Kept>();
  #size = 0;

  /** @param most bytes of all values together. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Returns the value of `size` bytes; `read` reads it if it is not cached. Callers share the read, so none can cancel
   * it.
   */
  get(key: K, size: number, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.bytes;
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#size + size <= this.#most) break;
      this.#forget(oldest);
    }
    const value = { size, bytes: read() };
    this.#kept.set(key, value);
    this.#size += size;
    value.bytes.catch(() => {
      if (this.#kept.get(key) === value) this.#forget(key);
    });
    return value.bytes;
  }

  clear(): void {
    this.#kept.clear();
    this.#size = 0;
  }

  #forget(key: K): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}
