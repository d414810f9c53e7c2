/** What is made of bytes that stand in many objects of a file alike: most headers say the same few things. */

/** As many different ones as are kept; the next takes the place of the oldest. */
const MOST = 32;

interface Entry<T> {
  readonly bytes: Uint8Array;
  readonly value: T;
}

export class Repeated<T> {
  readonly #entries: Entry<T>[] = [];
  #next = 0;

  /** What was made of the same bytes, if that is known. */
  find(bytes: Uint8Array): T | undefined {
    for (const entry of this.#entries) if (isEqual(entry.bytes, bytes)) return entry.value;
    return undefined;
  }

  /** @param bytes of which a copy is kept. */
  add(bytes: Uint8Array, value: T): T {
    this.#entries[this.#next] = { bytes: bytes.slice(), value };
    this.#next = (this.#next + 1) % MOST;
    return value;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  const { length } = a;
  if (length !== b.length) return false;
  // Values stand at the end.
  for (let i = length - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  return true;
}
