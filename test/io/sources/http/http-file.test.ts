import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openHttpFile } from "../../../../src/io/sources/http/http-file.js";
import { fileServer, type Handler, serveFile } from "../file-server.js";
import { expectBytes, file, HEAD, honest, open, opened, withBody } from "../served-file.js";

describe("a file on the web", () => {
  it("is opened with one request, for its size and first bytes", async () => {
    const server = await fileServer(honest);
    const { source, head } = await open(server);
    expect(server.requests).toEqual([{ method: "GET", path: "/x.h5ad?sig=a%2Fb", range: `bytes=0-${HEAD - 1}` }]);
    expect(source).toMatchObject({ kind: "bytes", size: file.length, name: `${server.origin}/x.h5ad?…` });
    expectBytes(head, file.subarray(0, HEAD));
  });

  it("is read by exact ranges", async () => {
    const { server, source } = await opened(honest);
    expect(await source.read(100_000, 100_010)).toEqual(file.subarray(100_000, 100_010));
    expect(await source.read(299_999, 300_000)).toEqual(file.subarray(299_999));
    expect(await source.read(5, 5)).toEqual(new Uint8Array(0));
    expectBytes(await source.read(0, 300_000), file);
    await expect(source.read(299_999, 300_001)).rejects.toMatchObject({ tag: "InvalidDataError" });
    expect(server.requests.map(({ range }) => range)).toEqual([
      "bytes=100000-100009",
      "bytes=299999-299999",
      "bytes=0-299999",
    ]);
  });

  it("may be smaller than the first request, or empty", async () => {
    for (const size of [1, HEAD, 0]) {
      const server = await fileServer((request, response) => serveFile(file.subarray(0, size), request, response));
      const { source, head } = await open(server);
      expect(source.size).toBe(size);
      expectBytes(head, file.subarray(0, size));
      expectBytes(await source.read(0, size), file.subarray(0, size));
    }
  });

  it("gets the caller's headers, and asks for bytes as they are", async () => {
    const server = await fileServer((request, response) => {
      expect(request.headers).toMatchObject({ authorization: "token", "accept-encoding": "identity" });
      serveFile(file, request, response);
    });
    const { source } = await open(server, { headers: { authorization: "token" } });
    expect(await source.read(70_000, 70_001)).toEqual(file.subarray(70_000, 70_001));
  });

  it("is refused where the URL makes no sense, without a word of its password", async () => {
    await expect(openHttpFile("x.h5ad")).rejects.toMatchObject({ tag: "InvalidInputError" });
    await expect(openHttpFile("file:///x.h5ad")).rejects.toMatchObject({ tag: "InvalidInputError" });
    const error = await openHttpFile("https://me:hidden@localhost/x.h5ad").catch((one: unknown) => one);
    expect(error).toMatchObject({ tag: "InvalidInputError" });
    expect(String(error)).not.toContain("hidden");
  });

  it("names a server that is not there", async () => {
    const opening = openHttpFile("http://127.0.0.1:9/x.h5ad", { attempts: 2 });
    await expect(opening).rejects.toMatchObject({ tag: "InvalidDataError" });
    await expect(opening).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:9\/x\.h5ad: bytes 0-65535: fetch failed \(.*\), after 2 attempts in \d\.\d s/,
    );
  });
});

describe("a server that does not know ranges", () => {
  it("gives a small file whole, with one request", async () => {
    const server = await fileServer((_, response) => void response.end(file));
    const { source } = await open(server);
    expect(await source.read(290_000, 290_005)).toEqual(file.subarray(290_000, 290_005));
    expect(server.requests).toHaveLength(1);
  });

  it("may compress it", async () => {
    const packed = gzipSync(file);
    const headers = { "content-encoding": "gzip", "content-length": packed.length };
    const server = await fileServer((_, response) => void response.writeHead(200, headers).end(packed));
    expectBytes((await open(server)).head, file);
  });

  it.each([
    ["says its length", { "content-length": "300000" }, "300000 bytes"],
    ["says nothing", {}, "more bytes"],
  ])("is refused a large file, and told how it can be served: %s", async (_, headers, message) => {
    const server = await fileServer((_, response) => void response.writeHead(200, headers).end(file));
    const opening = open(server, { wholeBytes: 100_000 });
    await expect(opening).rejects.toMatchObject({ tag: "UnsupportedError" });
    await expect(opening).rejects.toThrow(`the server ignores range requests, and the file has ${message}`);
    await expect(opening).rejects.toThrow("Accept-Ranges: bytes");
    expect(server.requests).toHaveLength(1);
  });

  it("cannot send for ever: it is hung up on", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await fileServer((_, response) => {
      closed = once(response, "close");
      const more = () => {
        while (response.writable && response.write(file));
      };
      response.on("drain", more);
      more();
    });
    await expect(open(server, { wholeBytes: 1 << 20 })).rejects.toMatchObject({ tag: "UnsupportedError" });
    await closed;
  });
});

describe("a server that hides Content-Range, as CORS does by default", () => {
  const hidden: Handler = (request, response) => serveFile(file, request, response, { "content-range": null });

  it("is asked for the size alone", async () => {
    const server = await fileServer(hidden);
    const { source } = await open(server);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "HEAD"]);
    expect(source.size).toBe(file.length);
    expectBytes(await source.read(100_000, 200_000), file.subarray(100_000, 200_000));
  });

  it.each<[string, Handler]>([
    ["refuses it", (_, response) => void response.writeHead(405).end()],
    ["does not tell", (_, response) => void response.writeHead(200, { "transfer-encoding": "chunked" }).end()],
  ])("is told to show it where it %s", async (_, answerHead) => {
    const server = await fileServer((request, response) =>
      (request.method === "HEAD" ? answerHead : hidden)(request, response),
    );
    await expect(open(server)).rejects.toMatchObject({ tag: "UnsupportedError" });
    await expect(open(server)).rejects.toThrow("Access-Control-Expose-Headers: Content-Range, ETag");
  });

  it("cannot tell a size that its first bytes belie", async () => {
    const server = await fileServer((request, response) => {
      if (request.method === "HEAD") response.writeHead(200, { "content-length": 900_000 }).end();
      else withoutRange(response);
    });
    const withoutRange = (response: Parameters<Handler>[1]) =>
      void response.writeHead(206, { "content-length": 1000 }).end(file.subarray(0, 1000));
    await expect(open(server)).rejects.toThrow("the server sent 1000 of the first 65536 bytes of 900000");
  });
});

describe("a file that changes while it is read is a named error", () => {
  it.each<[string, Handler, string]>([
    [
      "another ETag",
      (request, response) => serveFile(file, request, response, { etag: '"two"' }),
      'its ETag was "one", now "two"',
    ],
    [
      "another date",
      (request, response) => serveFile(file, request, response, { "last-modified": "Tue, 02 Jan 2024 00:00:00 GMT" }),
      "it was last modified Mon, 01 Jan 2024 00:00:00 GMT, now Tue, 02 Jan 2024 00:00:00 GMT",
    ],
    [
      "another size",
      (request, response) => serveFile(file.subarray(0, 200_000), request, response),
      "it had 300000 bytes, now 200000",
    ],
    [
      "so short that the range is refused",
      (request, response) => serveFile(file.subarray(0, 10), request, response),
      "bytes 100000-100009 were refused, it had 300000 bytes, now 10",
    ],
    [
      "a refused range without a size",
      (_, response) => void response.writeHead(416).end(),
      "it has no such bytes any more",
    ],
    [
      "sent whole with another ETag",
      (_, response) => void response.writeHead(200, { etag: '"two"' }).end(file),
      'its ETag was "one", now "two"',
    ],
  ])("%s", async (_, later, message) => {
    const { server, source } = await opened(later);
    const reading = source.read(100_000, 100_010);
    await expect(reading).rejects.toMatchObject({ tag: "InvalidDataError" });
    await expect(reading).rejects.toThrow("the file changed while it was read");
    await expect(reading).rejects.toThrow(message);
    expect(server.requests).toHaveLength(1);
  });

  it("but not one whose ETag becomes weak", async () => {
    const { source } = await opened((request, response) => serveFile(file, request, response, { etag: 'W/"one"' }));
    expect(await source.read(100_000, 100_010)).toEqual(file.subarray(100_000, 100_010));
  });

  it("a file that vanishes", async () => {
    const { source } = await opened((_, response) => void response.writeHead(404).end());
    await expect(source.read(0, 10)).rejects.toMatchObject({ tag: "NotFoundError" });
    await expect(source.read(0, 10)).rejects.toThrow("404 Not Found: the file vanished while it was read");
  });

  it("a server that forgets ranges", async () => {
    const { source } = await opened((_, response) => void response.writeHead(200, { etag: '"one"' }).end(file));
    await expect(source.read(0, 10)).rejects.toMatchObject({ tag: "UnsupportedError" });
    await expect(source.read(0, 10)).rejects.toThrow("with the whole file");
  });
});

describe("a server that lies is a named error", () => {
  const claims =
    (contentRange: string): Handler =>
    (request, response) =>
      serveFile(file, request, response, { "content-range": contentRange });

  it.each<[string, Handler, string]>([
    ["another range", claims("bytes 0-9/300000"), "the server sent bytes 0-9, asked were 100000-100009"],
    ["a longer range", claims("bytes 100000-100019/300000"), "sent bytes 100000-100019, asked were 100000-100009"],
    ["a shorter range", claims("bytes 100000-100000/300000"), "sent bytes 100000-100000, asked were 100000-100009"],
    ["another unit", claims("rows 1-2/3"), "Content-Range: rows 1-2/3, which is no range of bytes"],
    ["a range beyond the total", claims("bytes 100000-100009/9"), "which is no range of bytes"],
    ["a range backwards", claims("bytes 9-2/300000"), "which is no range of bytes"],
    ["compressed ranges", withBody((bytes, r) => r.end(gzipSync(bytes)), { "content-encoding": "gzip" }), "gzip"],
    ["a body that is too long", withBody((_, r) => r.end(file)), "more than the 10 bytes that were asked for"],
    [
      "an endless body",
      withBody((_, response) => {
        const more = () => {
          while (response.writable && response.write(file));
        };
        response.on("drain", more);
        more();
      }),
      "more than the 10 bytes that were asked for",
    ],
    ["a bad request", (_, response) => void response.writeHead(400).end(), "the server answered 400 Bad Request"],
    ["no access", (_, response) => void response.writeHead(403).end(), "a signed URL may have expired"],
  ])("%s: at once", async (_, later, message) => {
    const { server, source } = await opened(later);
    const reading = source.read(100_000, 100_010);
    await expect(reading).rejects.toMatchObject({ source: source.name, tag: /^(InvalidData|Unsupported)Error$/ });
    await expect(reading).rejects.toThrow(message);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Handler, string]>([
    ["a short body", withBody((bytes, r) => r.end(bytes.subarray(1))), "the answer has 9 bytes, expected 10"],
    ["no body", withBody((_, r) => r.end()), "the answer has 0 bytes, expected 10"],
    [
      "a body that ends in the middle",
      withBody((bytes, r) => r.write(bytes.subarray(0, 5), () => r.destroy()), { "content-length": "10" }),
      "terminated",
    ],
    ["a connection that is closed", (_, response) => void response.destroy(), "fetch failed"],
    ["a server error", (_, response) => void response.writeHead(502).end("gateway"), "502 Bad Gateway"],
    ["a busy server", (_, r) => void r.writeHead(429, { "retry-after": "0" }).end(), "429 Too Many Requests"],
  ])("%s: after a bounded number of attempts", async (_, later, message) => {
    const { server, source } = await opened(later, { attempts: 2 });
    const reading = source.read(100_000, 100_010);
    await expect(reading).rejects.toMatchObject({ tag: "InvalidDataError", source: source.name });
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow("after 2 attempts");
    expect(server.requests).toHaveLength(2);
    // What is over the next time was no harm.
    server.handler = (request, response) => {
      server.handler = honest;
      later(request, response);
    };
    expect(await source.read(100_000, 100_010)).toEqual(file.subarray(100_000, 100_010));
  });

  it.each<[string, Handler, string, string]>([
    ["no file", (_, response) => void response.writeHead(404).end(), "NotFoundError", "404 Not Found"],
    ["no access", (_, response) => void response.writeHead(403).end(), "UnsupportedError", "403 Forbidden"],
    [
      "a page",
      (_, r) => void r.setHeader("content-type", "text/html").end("\n<!doctype html>"),
      "NotFoundError",
      "page",
    ],
    ["a range from elsewhere", claims("bytes 5-9/300000"), "InvalidDataError", "asked were 0-65535"],
    ["a total that is too small", claims("bytes 0-65535/10"), "InvalidDataError", "no range of bytes"],
    ["a total beyond numbers", claims(`bytes 0-65535/${"9".repeat(30)}`), "InvalidDataError", "no range of bytes"],
    ["less than there is", claims("bytes 0-9/300000"), "InvalidDataError", "more than the 10 bytes"],
    ["a refused range", (_, response) => void response.writeHead(416).end(), "InvalidDataError", "416"],
  ])("when the file is opened: %s", async (_, handler, tag, message) => {
    const server = await fileServer(handler);
    const opening = open(server);
    await expect(opening).rejects.toMatchObject({ tag });
    await expect(opening).rejects.toThrow(message);
    expect(server.requests).toHaveLength(1);
  });
});
