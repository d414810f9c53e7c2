// A web server of the files of a folder in a thread of its own, which answers after some milliseconds, byte ranges too. It
// looks at no signatures, so that it is a bucket, too. Its message: the port.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { folder, prefix = "", latency } = workerData;

const server = createServer(async (request, response) => {
  if (latency > 0) await sleep(latency);
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const file = join(folder, path.slice(prefix.length));
  const info = statSync(file, { throwIfNoEntry: false });
  if (!info?.isFile()) return void response.writeHead(404).end();
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = range ? Number(range[1]) : 0;
  const end = Math.min(info.size - 1, range?.[2] ? Number(range[2]) : info.size - 1);
  response.writeHead(range ? 206 : 200, {
    "accept-ranges": "bytes",
    "content-length": end - start + 1,
    etag: `"${info.size}-${info.mtimeMs}"`,
    "last-modified": info.mtime.toUTCString(),
    ...(range ? { "content-range": `bytes ${start}-${end}/${info.size}` } : {}),
  });
  if (request.method === "HEAD") response.end();
  else createReadStream(file, { start, end }).pipe(response);
});

server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
