/** Memory for stored bytes that are decoded at once and then forgotten, used again and again by one thread. */

const MOST_BUFFERS = 4;
const MOST_BYTES = 1 << 22;
const STEP = 1 << 16;

const free: Uint8Array[] = [];

/** Exactly `length` bytes, whatever they hold. */
export function takeBuffer(length: number): Uint8Array {
  const at = free.findIndex((buffer) => buffer.length >= length);
  const buffer = at < 0 ? new Uint8Array(Math.ceil(length / STEP) * STEP) : free.splice(at, 1)[0];
  return buffer.subarray(0, length);
}

/** Ends the use of what `takeBuffer` gave: nothing may look at it any more. */
export function giveBuffer({ buffer }: Uint8Array): void {
  if (free.length < MOST_BUFFERS && buffer.byteLength <= MOST_BYTES) free.push(new Uint8Array(buffer));
}
