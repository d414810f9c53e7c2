/** Loads `@grpc/grpc-js` on demand. All access to its types and private fields is in this file. */

import { constants, type Http2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { MissingDependencyError } from "annarrow";
import { copyParts, type EncodedParts, type ProtoWriter } from "./protocol/proto-writer.js";

export type Grpc = typeof import("@grpc/grpc-js");

/** @throws {MissingDependencyError} if the package is not installed. */
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
 * The parts of a message, passed to grpc-js instead of a Buffer. grpc-js reads the length of a serialised message and
 * copies the message behind a prefix of five bytes. The parts are copied there directly, which saves one copy.
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
 * Returns a message in the form that grpc-js expects.
 * @param copied called with the memory from which the message is sent.
 */
export function toGrpcBuffer(message: ProtoWriter, copied: (target: Uint8Array) => void = () => undefined): Buffer {
  const pieces: unknown = new MessagePieces(message.finish(), copied);
  return pieces as Buffer;
}

/** The HTTP/2 stream that grpc-js writes complete frames to. */
interface FrameStream {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
}

/**
 * Returns the HTTP/2 stream of a call; null before the response headers are sent, and if there is no stream. Complete
 * frames are written to the stream directly, because grpc-js would copy them.
 */
export function findHttp2Stream(call: object): FrameStream | null {
  const stream = connectionStream(call);
  return isFrameStream(stream) && Reflect.get(stream, "headersSent") === true ? stream : null;
}

/**
 * True if a call's stream was aborted. Such a stream calls back without an error, although the socket may still read
 * the written bytes.
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

/** Limits the read-ahead of a grpc-js stream to one message. The default, sixteen messages, may take much memory. */
export function holdOne(stream: Readable): void {
  const state: unknown = Reflect.get(stream, "_readableState");
  if (typeof state === "object" && state !== null) Reflect.set(state, "highWaterMark", 1);
}

/**
 * Aborts a response that the client does not read, because a status would wait behind it. The code is sent at once, and
 * clients report it as "resource exhausted".
 */
export function abortCall(call: object): void {
  const stream = connectionStream(call);
  if (typeof stream !== "object" || stream === null) return;
  const close: unknown = Reflect.get(stream, "close");
  if (typeof close === "function") Reflect.apply(close, stream, [constants.NGHTTP2_ENHANCE_YOUR_CALM]);
}

/**
 * Closes the stream of an ended call if the client keeps its side open. Otherwise a client could accumulate any number
 * of such streams on one connection.
 */
export function closeEnded(call: object): void {
  const stream = connectionStream(call);
  if (typeof stream !== "object" || stream === null || Reflect.get(stream, "closed") === true) return;
  const close: unknown = Reflect.get(stream, "close");
  if (typeof close === "function") Reflect.apply(close, stream, [constants.NGHTTP2_NO_ERROR]);
}

/**
 * Ends connections on which the client has not started HTTP/2 within `begin` milliseconds, and closed connections on
 * which an unfinished call is idle for `idle` milliseconds. grpc-js would wait for both forever.
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
      // A listener passed to `setTimeout` would be called only once, which may be before grpc-js closes the session.
      session.setTimeout(idle);
      session.on("timeout", () => {
        if (session.closed) session.destroy();
      });
      session.once("remoteSettings", () => spoken.add(key));
    });
  }
}

export const CHANNEL_OPTIONS = {
  // Only the receiver knows how large a message may be.
  "grpc.max_send_message_length": -1,
  // The default of 64 KiB costs one round trip per 64 KiB.
  "grpc-node.flow_control_window": 2 ** 22,
} as const;
