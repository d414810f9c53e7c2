/**
 * Answers the program that started this process. Each request has its own connection. Closing the connection cancels
 * the answer, and a slow reader slows the answer down.
 */

import { createServer, type Socket } from "node:net";
import { InvalidInputError } from "annarrow";
import { Access } from "../requests/tokens.node.js";
import { type PipeAnswer, PipeDatasets, type PipeInputs } from "./pipe-datasets.js";
import { encodeFrameHead, encodePipeJson, type FrameKind, readRequestBytes, toErrorJson } from "./pipe-frames.js";
import { parseRequest } from "./pipe-request.js";

/** The server's address for a program, and the token that its requests must contain. */
export interface PipeAddress {
  /** Path of a socket; null for a local port, on systems where Python does not support such sockets. */
  readonly socket: string | null;
  readonly token: string;
}

/**
 * Listens until the process ends.
 * @returns the port, or the path of the socket.
 */
export async function servePipe({ socket, token }: PipeAddress, inputs: PipeInputs): Promise<string | number> {
  const datasets = new PipeDatasets(inputs);
  const access = new Access(token);
  const server = createServer((connection) => void answer(connection, datasets, access));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).once("listening", resolve);
    if (socket === null) server.listen(0, "127.0.0.1");
    else server.listen(socket);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : (socket ?? "");
}

async function answer(socket: Socket, datasets: PipeDatasets, access: Access): Promise<void> {
  const gone = new AbortController();
  // The program disconnected, which is not an error.
  socket.on("error", () => undefined).on("close", () => gone.abort());
  try {
    const { token, request } = parseRequest(await readRequestBytes(socket.iterator({ destroyOnReturn: false })));
    if (!access.accepts(token)) throw new InvalidInputError("the token is not the one of this process");
    // The end of the connection is noticed only while data is read.
    socket.resume();
    const end = await sendParts(socket, datasets.answer(request, gone.signal));
    await send(socket, "end", encodePipeJson(end));
  } catch (error) {
    if (!gone.signal.aborted) await send(socket, "error", encodePipeJson(toErrorJson(error))).catch(() => undefined);
  } finally {
    socket.end();
  }
}

/** Sends all parts of an answer, and returns the JSON that ends it. */
async function sendParts(socket: Socket, answer: PipeAnswer): Promise<unknown> {
  try {
    for (;;) {
      const part = await answer.next();
      if (part.done) return part.value;
      const { bytes, done } = part.value;
      await send(socket, "data", bytes);
      done?.();
    }
  } finally {
    // Reading stops when the program disconnects.
    await answer.return(null);
  }
}

/** Resolves when the connection has accepted the bytes, whose memory may then be reused. */
function send(socket: Socket, kind: FrameKind, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.cork();
    socket.write(encodeFrameHead(kind, bytes.length));
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    socket.uncork();
  });
}
