/** Files that the page makes, and hands to the browser's downloads. */

/** Bytes that are held in the page's own memory. */
const HELD = 2 ** 24;

/** A file that grows. The browser takes what is complete, and keeps it on the disk where it is large. */
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

/** Downloads a file. The browser asks where to, if its user wants that. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has the file only when the download has begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
