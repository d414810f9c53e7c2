/** Files created by the page for the browser's downloads. */

/** Bytes held in the page's memory before they are passed to a `Blob`. */
const HELD = 2 ** 24;

/** A growing file. Complete parts are passed to the browser, which stores large ones on disk. */
export class GrowingBlob {
  readonly #parts: Blob[] = [];
  #held: Uint8Array<ArrayBuffer>[] = [];
  #heldBytes = 0;
  size = 0;

  add(bytes: Uint8Array): void {
    this.#held.push(bytes.slice());
    this.#heldBytes += bytes.length;
    this.size += bytes.length;
    if (this.#heldBytes >= HELD) this.#release();
  }

  blob(type: string): Blob {
    this.#release();
    return new Blob(this.#parts, { type });
  }

  #release(): void {
    this.#parts.push(new Blob(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
  }
}

/** Downloads a file. The browser asks for the location, if configured so. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the bytes only after the download has begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
