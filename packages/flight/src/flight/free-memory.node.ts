/**
 * Frees memory at once. Messages are stored outside the heap, so the garbage collector does not know how much memory
 * they take, and would retain many messages that were sent long ago.
 */

import { MessageChannel, type MessagePort } from "node:worker_threads";

/** Frees the memory of bytes that are no longer used, if they fill their whole buffer. */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength !== buffer.byteLength || byteLength === 0) return;
  NOWHERE.postMessage(null, [buffer]);
}

/** A port whose other side is closed. Transferring a buffer to it frees the buffer. */
const NOWHERE = ((): MessagePort => {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.unref();
  return port1;
})();
