/**
 * Frees memory at once. Messages lie outside the heap, where the garbage collector does not see how much memory they take:
 * it would keep many messages that were sent long ago.
 */

import { MessageChannel, type MessagePort } from "node:worker_threads";

/** Frees the memory of bytes that are not used any more, if the bytes fill their whole buffer. */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength !== buffer.byteLength || byteLength === 0) return;
  NOWHERE.postMessage(null, [buffer]);
}

/** A port with a closed other side: a buffer that is moved to it is freed. */
const NOWHERE = ((): MessagePort => {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.unref();
  return port1;
})();
