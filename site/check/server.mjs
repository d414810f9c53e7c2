/** A web server of the built site, with ranges, as every host of static files has. */

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { SITE } from "../make/repository.mjs";

const DIST = join(SITE, ".vitepress/dist");
const BASE = process.env.SITE_BASE ?? "/";
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Starts it on a free port of this machine. @returns the address of the front page, and what ends the server. */
export async function serveSite() {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const within = path.startsWith(BASE) ? normalize(`/${path.slice(BASE.length)}`) : "/404";
    const file = join(DIST, within.endsWith("/") ? `${within}index.html` : within);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    const { size } = statSync(file);
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const [start, end] = [Number(range?.[1] ?? 0), Math.min(Number(range?.[2] || size), size - 1)];
    if (range !== null && start >= size) return response.writeHead(416, { "Content-Range": `bytes */${size}` }).end();
    response.writeHead(range === null ? 200 : 206, {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Content-Length": size === 0 ? 0 : end - start + 1,
      "Accept-Ranges": "bytes",
      ...(range === null ? {} : { "Content-Range": `bytes ${start}-${end}/${size}` }),
    });
    if (request.method === "HEAD" || size === 0) return response.end();
    return createReadStream(file, { start, end }).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}${BASE}`, close: () => server.close() };
}
