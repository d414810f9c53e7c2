/** A web server with one file: it answers ranges as RFC 9110 says, or as a test tells it to. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Asked {
  readonly method: string;
  readonly path: string;
  /** The header Range. */
  readonly range: string | undefined;
}

export interface FileServer {
  readonly origin: string;
  /** In the order of arrival. */
  readonly requests: Asked[];
  /** Bytes of the bodies that `serveFile` was asked for. */
  bytes: number;
  handler: Handler;
}

/** Starts a server that is there until the test ends. */
export async function fileServer(handler: Handler): Promise<FileServer> {
  const server = createServer((request, response) => {
    state.requests.push({ method: request.method ?? "", path: request.url ?? "", range: request.headers.range });
    response.on("finish", () => {
      state.bytes += Number(response.getHeader("content-length") ?? 0);
    });
    state.handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const state: FileServer = { origin: `http://127.0.0.1:${address.port}`, requests: [], bytes: 0, handler };
  return state;
}

/** The positions [start, end) that a request asks for; null where it asks for the whole file. */
export function askedRange(request: IncomingMessage, size: number): { start: number; end: number } | null {
  const found = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  if (found === null) return null;
  return { start: Number(found[1]), end: found[2] === "" ? size : Math.min(size, Number(found[2]) + 1) };
}

const HEADERS = { etag: '"one"', "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT" };

/**
 * Answers with the range that is asked for, or with all of `file`.
 * @param headers of files; null hides the usual one of that name.
 */
export function serveFile(
  file: Uint8Array,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string | null>> = HEADERS,
): void {
  const range = askedRange(request, file.length);
  const answer = (status: number, usual: Record<string, string>, bytes: Uint8Array = new Uint8Array(0)) => {
    for (const [name, value] of Object.entries({ ...usual, "content-length": String(bytes.length), ...headers })) {
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(status).end(request.method === "HEAD" ? undefined : bytes);
  };
  if (range === null) {
    answer(200, {}, file);
  } else if (range.start >= file.length) {
    answer(416, { "content-range": `bytes */${file.length}` });
  } else {
    const { start, end } = range;
    answer(206, { "content-range": `bytes ${start}-${end - 1}/${file.length}` }, file.subarray(start, end));
  }
}
