// Serves the files of a folder, with ranges, as object stores do: node range-server.mjs FOLDER PORT
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";

const [folder, port] = process.argv.slice(2);
createServer((request, response) => {
  const file = join(folder, normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
  let size;
  try {
    size = statSync(file).size;
  } catch {
    response.writeHead(404).end();
    return;
  }
  const headers = { "accept-ranges": "bytes", etag: `"${size}"` };
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = range === null ? 0 : Number(range[1]);
  const end = Math.min(size, range === null || range[2] === "" ? size : Number(range[2]) + 1);
  if (start >= end) {
    response.writeHead(416, { "content-range": `bytes */${size}` }).end();
    return;
  }
  if (range !== null) headers["content-range"] = `bytes ${start}-${end - 1}/${size}`;
  response.writeHead(range === null ? 200 : 206, { ...headers, "content-length": end - start });
  if (request.method === "HEAD") response.end();
  else createReadStream(file, { start, end: end - 1 }).pipe(response);
}).listen(Number(port), "127.0.0.1");
