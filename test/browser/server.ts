/** A web server for the browser test: values under paths, with ranges, as any static host gives them. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const TYPES: Record<string, string> = {
  html: "text/html",
  js: "text/javascript",
  wasm: "application/wasm",
  json: "application/json",
  css: "text/css",
};

export interface Server {
  readonly url: string;
  /** Paths that were asked for, with the range where there was one. */
  readonly requests: string[];
  close(): void;
}

/** @param headers what every answer has besides, such as those of CORS. */
export async function serve(
  files: ReadonlyMap<string, Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    requests.push([path, request.headers.range].filter(Boolean).join(" "));
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(request, response, path, files.get(path));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}`, requests, close: () => server.close() };
}

function answer(request: IncomingMessage, response: ServerResponse, path: string, bytes: Uint8Array | undefined): void {
  if (bytes === undefined) {
    response.writeHead(404).end();
    return;
  }
  const headers = {
    "Content-Type": TYPES[path.endsWith("/") ? "html" : (path.split(".").at(-1) ?? "")] ?? "application/octet-stream",
    "Accept-Ranges": "bytes",
  };
  const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
  if (range === null) {
    response.writeHead(200, { ...headers, "Content-Length": bytes.length });
    response.end(request.method === "HEAD" ? undefined : bytes);
    return;
  }
  const [, first, last] = range;
  const start = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
  if (start >= end) {
    response.writeHead(416, { "Content-Range": `bytes */${bytes.length}` }).end();
    return;
  }
  response.writeHead(206, {
    ...headers,
    "Content-Length": end - start,
    "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}`,
  });
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(start, end));
}
