/** One file behind a server that can lie about it. */

import { expect } from "vitest";
import { type HttpFile, type HttpFileOptions, openHttpFile } from "../../../src/io/sources/http/http-file.js";
import type { ByteSource } from "../../../src/io/sources/source.js";
import { askedRange, type FileServer, fileServer, type Handler, serveFile } from "./file-server.js";

export const file = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7) % 251);
export const HEAD = 1 << 16;
export const honest: Handler = (request, response) => serveFile(file, request, response);

export const open = (server: FileServer, options: HttpFileOptions = {}, signal?: AbortSignal): Promise<HttpFile> =>
  openHttpFile(`${server.origin}/x.h5ad?sig=a%2Fb#part`, options, signal === undefined ? {} : { signal });

/** Compares at once: element by element takes long. */
export const expectBytes = (found: Uint8Array, wanted: Uint8Array) => expect(Buffer.compare(found, wanted)).toBe(0);

/** A server that is honest when the file is opened, and answers as `later` does from then on. */
export async function opened(
  later: Handler,
  options?: HttpFileOptions,
): Promise<{ server: FileServer; source: ByteSource }> {
  const server = await fileServer(honest);
  const { source } = await open(server, options);
  server.handler = later;
  server.requests.length = 0;
  return { server, source };
}

/** Its header promises the range that is asked for, the body is another. */
export const withBody =
  (
    send: (bytes: Uint8Array, response: Parameters<Handler>[1]) => void,
    headers: Record<string, string> = {},
  ): Handler =>
  (request, response) => {
    const { start, end } = askedRange(request, file.length) ?? { start: 0, end: file.length };
    response.writeHead(206, { "content-range": `bytes ${start}-${end - 1}/${file.length}`, ...headers });
    send(file.subarray(start, end), response);
  };
