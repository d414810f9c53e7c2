/** The one place that loads `@grpc/grpc-js`, when it is needed, and the border to its types. */

import { constants, type Http2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { MissingDependencyError } from "../model/errors.js";
import { copyParts, type EncodedParts, type ProtoWriter } from "./protocol/proto-writer.js";

export type Grpc = typeof import("@grpc/grpc-js");

/** @throws {MissingDependencyError} where the package is not installed. */
export async function loadGrpc(): Promise<Grpc> {
  try {
    return await import("@grpc/grpc-js");
  } catch (cause) {
    throw new MissingDependencyError("Arrow Flight needs the package @grpc/grpc-js: npm install @grpc/grpc-js@1.14.7", {
      cause,
    });
  }
}

/**
 * What the library does with a serialised message: it asks for its length, and copies it behind a prefix of five bytes.
 * So the pieces of a message are put where they are sent from at once, instead of into a buffer that is copied again.
 */
class MessagePieces {
  readonly length: number;
  readonly byteLength: number;
  readonly #parts: readonly Uint8Array[];
  readonly #copied: (target: Uint8Array) => void;

  constructor({ parts, length }: EncodedParts, copied: (target: Uint8Array) => void) {
    this.#parts = parts;
    this.#copied = copied;
    this.length = length;
    this.byteLength = length;
  }

  copy(target: Uint8Array, at = 0): number {
    if (at + this.length > target.length) {
      throw new RangeError(`${target.length - at} bytes for a message of ${this.length}`);
    }
    copyParts(this.#parts, target, at);
    this.#copied(target);
    return this.length;
  }
}

/**
 * A message as the library takes it.
 * @param copied told where the message is sent from.
 */
export function asBuffer(message: ProtoWriter, copied: (target: Uint8Array) => void = () => undefined): Buffer {
  const pieces: unknown = new MessagePieces(message.finish(), copied);
  return pieces as Buffer;
}

/** Where the library writes what it has put together. */
interface FrameStream {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
}

/**
 * The connection's own stream behind a call, for messages that need nothing more: the library would copy them. Null before
 * the headers of the answer have gone, and where there is none.
 */
export function frameStream(call: object): FrameStream | null {
  const stream = connectionStream(call);
  return isFrameStream(stream) && Reflect.get(stream, "headersSent") === true ? stream : null;
}

/**
 * Whether the stream behind a call was broken off: then it calls back without an error too, while the socket may still
 * read what was written to it.
 */
export function isBrokenOff(call: object): boolean {
  const stream = connectionStream(call);
  return typeof stream !== "object" || stream === null || Reflect.get(stream, "destroyed") !== false;
}

function isFrameStream(stream: unknown): stream is FrameStream {
  return typeof stream === "object" && stream !== null && typeof Reflect.get(stream, "write") === "function";
}

function connectionStream(call: object): unknown {
  const sending: unknown = Reflect.get(call, "call");
  return typeof sending === "object" && sending !== null ? Reflect.get(sending, "stream") : null;
}

/** Makes a stream of the library hold one message: it would read sixteen ahead, of which each may be large. */
export function holdOne(stream: Readable): void {
  const state: unknown = Reflect.get(stream, "_readableState");
  if (typeof state === "object" && state !== null) Reflect.set(state, "highWaterMark", 1);
}

/**
 * Breaks off an answer that is not taken: a status would wait behind it. The code is one that goes out at once, and that
 * clients know as "resource exhausted".
 */
export function breakOff(call: object): void {
  const stream = connectionStream(call);
  if (typeof stream !== "object" || stream === null) return;
  const close: unknown = Reflect.get(stream, "close");
  if (typeof close === "function") Reflect.apply(close, stream, [constants.NGHTTP2_ENHANCE_YOUR_CALM]);
}

/**
 * Closes the stream of a call that has ended where the client still keeps its side open: on a connection of its own it
 * could collect any number of them.
 */
export function closeEnded(call: object): void {
  const stream = connectionStream(call);
  if (typeof stream !== "object" || stream === null || Reflect.get(stream, "closed") === true) return;
  const close: unknown = Reflect.get(stream, "close");
  if (typeof close === "function") Reflect.apply(close, stream, [constants.NGHTTP2_NO_ERROR]);
}

/**
 * Ends connections whose clients have not said within `begin` milliseconds what HTTP/2 begins with, and closed ones on
 * which something that is no call yet stands still for `idle` milliseconds: the library waits for both without end.
 */
export function endSilent(server: object, begin: number, idle: number): void {
  const listening: unknown = Reflect.get(server, "http2Servers");
  if (!(listening instanceof Map)) return;
  const spoken = new Set<string>();
  const keyOf = ({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">) =>
    `${remoteAddress} ${remotePort}`;
  for (const one of listening.keys()) {
    one.on("connection", (socket: Socket) => {
      const key = keyOf(socket);
      const timer = setTimeout(() => {
        if (!spoken.has(key)) socket.destroy();
      }, begin).unref();
      socket.once("close", () => {
        clearTimeout(timer);
        spoken.delete(key);
      });
    });
    one.on("session", (session: Http2Session) => {
      const { socket } = session;
      if (socket === undefined) return;
      const key = keyOf(socket);
      session.setTimeout(idle, () => {
        if (session.closed) session.destroy();
      });
      session.once("remoteSettings", () => spoken.add(key));
    });
  }
}

/** What both sides ask of a connection. */
export const CHANNEL_OPTIONS = {
  // Only one of the two sides knows how large a message may be: whoever receives it.
  "grpc.max_send_message_length": -1,
  // 64 KiB, the default, is one round trip for each 64 KiB.
  "grpc-node.flow_control_window": 2 ** 22,
} as const;
