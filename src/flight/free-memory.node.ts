/**
 * Memory that is given back at once. Messages lie outside of the heap, where the garbage collector does not see how much
 * they take: it would let many of them lie around that were sent long ago.
 */

import { MessageChannel, type MessagePort } from "node:worker_threads";

/** Frees the memory of bytes that nobody looks at any more, where it holds nothing else. */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength !== buffer.byteLength || byteLength === 0) return;
  NOWHERE.postMessage(null, [buffer]);
}

/** What is moved to a port whose other side is closed is gone. */
const NOWHERE = ((): MessagePort => {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.unref();
  return port1;
})();
