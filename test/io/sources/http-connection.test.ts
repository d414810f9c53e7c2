import { describe, expect, it, onTestFinished } from "vitest";
import { open as openDataset } from "../../../packages/published/src/index.js";
import { openHttpFile } from "../../../src/io/sources/http/http-file.js";
import { createHttpSource } from "../../../src/io/sources/http/http-store.js";
import { createBlockCache } from "../../../src/io/sources/http/remote-file.js";
import { fileServer, type Handler, serveFile } from "./file-server.js";
import { expectBytes, file, honest, open, opened, withBody } from "./served-file.js";

describe("a slow server", () => {
  const drip: Handler = withBody((bytes, response) => {
    let sent = 0;
    const timer = setInterval(() => response.write(bytes.subarray(sent, ++sent)), 20);
    response.on("close", () => clearInterval(timer));
  });

  it.each<[string, Handler]>([
    ["that does not answer", () => undefined],
    ["that stops in the middle", withBody((bytes, response) => response.write(bytes.subarray(0, 5)))],
    ["that sends a byte now and then", drip],
  ])("%s is given up", async (_, later) => {
    const { server, source } = await opened(later, { attempts: 2, stall: 600 });
    const started = performance.now();
    const reading = source.read(100_000, 101_000);
    await expect(reading).rejects.toMatchObject({ tag: "InvalidDataError" });
    await expect(reading).rejects.toThrow(/only \d+ bytes came in \d+\.\d s, after 2 attempts in \d+\.\d s$/);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(server.requests).toHaveLength(2);
  });

  it("that goes on is waited for", async () => {
    const later = withBody((bytes, response) => {
      let sent = 0;
      const timer = setInterval(() => {
        if (sent < bytes.length) response.write(bytes.subarray(sent, sent + 5000));
        else response.end(() => clearInterval(timer));
        sent += 5000;
      }, 60);
    });
    const { source } = await opened(later, { attempts: 1, stall: 1000 });
    expectBytes(await source.read(0, 100_000), file.subarray(0, 100_000));
  });
});

describe("one request has one time for all its attempts", () => {
  const stalled: Handler = () => undefined;
  const begun: Handler = (request, response) => {
    response.writeHead(206, { "content-range": "bytes 0-65535/300000" }).write("a");
    const timer = setInterval(() => response.write("a"), 100);
    request.on("close", () => clearInterval(timer));
  };
  const headsByDrops: Handler = (request) => {
    const timer = setInterval(() => request.socket.write("H"), 100);
    request.on("close", () => clearInterval(timer));
  };
  const busy: Handler = (_, response) => void response.writeHead(503, { "retry-after": "9" }).end();

  it.each<[string, Handler, RegExp]>([
    ["that does not answer", stalled, /bytes 0-65535: only 0 bytes came in \d+\.\d s, after 1 attempt in \d+\.\d s$/],
    [
      "that sends a byte now and then",
      begun,
      /bytes 0-65535: only [1-9]\d* bytes came in \d+\.\d s, after 1 attempt in/,
    ],
    ["whose head does not end", headsByDrops, /, after \d attempts? in \d+\.\d s$/],
    ["that asks to wait for longer than that", busy, /the server answered 503 .*, after 1 attempt in \d+\.\d s$/],
  ])("of a server %s", async (_, handler, message) => {
    const server = await fileServer(handler);
    const started = performance.now();
    const opening = open(server, { timeout: 400 });
    await expect(opening).rejects.toMatchObject({
      tag: "InvalidDataError",
      source: `${server.origin}/x.h5ad?…`,
    });
    await expect(opening).rejects.toThrow(message);
    // The server's answer asks to wait for 9 seconds.
    expect(performance.now() - started).toBeLessThan(8000);
  });

  it("of a store, by its key and range", async () => {
    const server = await fileServer(stalled);
    const source = createHttpSource(`${server.origin}/a.zarr`, { timeout: 300 });
    await expect(source.get("zarr.json")).rejects.toThrow(/a\.zarr: zarr\.json: only 0 bytes came in \d+\.\d s/);
    await expect(source.getRanges("c/0", [{ start: 5, end: 9 }])).rejects.toThrow(/c\/0: bytes 5-8: only 0 bytes came/);
  });

  it("beside what its bytes need", async () => {
    const later = withBody((bytes, response) => {
      let sent = 0;
      const timer = setInterval(() => {
        if (sent < bytes.length) response.write(bytes.subarray(sent, sent + 5000));
        else response.end(() => clearInterval(timer));
        sent += 5000;
      }, 60);
    });
    const { source } = await opened(later, { timeout: 1000 });
    expectBytes(await source.read(0, 100_000), file.subarray(0, 100_000));
  });

  it("and is a number of milliseconds", async () => {
    for (const timeout of [0, -1, Number.NaN]) {
      const source = createHttpSource("http://127.0.0.1:1/a.zarr", { timeout });
      await expect(source.get("zarr.json")).rejects.toMatchObject({ tag: "InvalidInputError" });
    }
  });

  it("from open", async () => {
    const server = await fileServer(stalled);
    for (const name of ["x.h5ad", "x.zarr", "x"]) {
      const started = performance.now();
      await expect(openDataset(`${server.origin}/${name}`, { http: { timeout: 300 } })).rejects.toThrow(/only 0 bytes/);
      expect(performance.now() - started).toBeLessThan(30_000);
    }
  });
});

describe("cancellation stops at once, with the signal's own reason", () => {
  it.each<[string, Handler]>([
    ["before the answer", () => undefined],
    ["in the body", withBody((bytes, response) => response.write(bytes.subarray(0, 5)))],
    ["in the pause between attempts", (_, r) => void r.writeHead(503, { "retry-after": "9" }).end()],
  ])("%s", async (_, later) => {
    const { source } = await opened(later);
    const controller = new AbortController();
    const reason = new Error("enough");
    const started = performance.now();
    setTimeout(() => controller.abort(reason), 50);
    await expect(source.read(0, 1000, { signal: controller.signal })).rejects.toBe(reason);
    expect(performance.now() - started).toBeLessThan(8000);
    await expect(source.read(0, 1000, { signal: controller.signal })).rejects.toBe(reason);
  });

  it("of many reads with one signal, without a warning of a leak", async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(String(warning));
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const { source } = await opened(() => undefined);
    const controller = new AbortController();
    const { signal } = controller;
    const cache = createBlockCache(source, { blockBytes: 1000 });
    const reads = Array.from({ length: 30 }, (_, i) => [
      source.read(i, i + 1, { signal }),
      cache.read(1000 * i, 1000 * i + 1, { signal }),
    ]).flat();
    setTimeout(() => controller.abort(new Error("enough")), 30);
    for (const read of await Promise.allSettled(reads)) expect(read).toMatchObject({ reason: { message: "enough" } });
    expect(warnings).toEqual([]);
  });

  it("also while the file is opened", async () => {
    const server = await fileServer(() => undefined);
    await expect(open(server, {}, AbortSignal.timeout(30))).rejects.toMatchObject({ name: "TimeoutError" });
  });
});

describe("redirections", () => {
  it("in a circle, or without end, are given up at once", async () => {
    let count = 0;
    const around = await fileServer((_, response) => void response.writeHead(302, { location: "/x.h5ad" }).end());
    const onwards = await fileServer((_, response) => void response.writeHead(302, { location: `/${count++}` }).end());
    for (const server of [around, onwards]) {
      const opening = open(server);
      await expect(opening).rejects.toMatchObject({ tag: "InvalidDataError" });
      await expect(opening).rejects.toThrow("x.h5ad?…: the server leads in a circle, or from place to place");
      expect(server.requests.length).toBeLessThan(30);
    }
  });

  const redirecting: Handler = (request, response) => {
    if (request.url?.startsWith("/x")) response.writeHead(302, { location: "/elsewhere" }).end();
    else serveFile(file, request, response);
  };

  it("are followed once: the place they lead to is asked from then on", async () => {
    const server = await fileServer(redirecting);
    const { source } = await open(server);
    expect(source.name).toContain("/x.h5ad");
    await source.read(70_000, 70_001);
    await source.read(80_000, 80_001);
    expect(server.requests.map(({ path }) => path.slice(0, 2))).toEqual(["/x", "/e", "/e", "/e"]);
  });

  it("are followed anew when the place is no longer open", async () => {
    const server = await fileServer(redirecting);
    const { source } = await open(server);
    let refused = false;
    server.handler = (request, response) => {
      if (request.url !== "/elsewhere" || refused) return redirecting(request, response);
      refused = true;
      response.writeHead(403).end();
    };
    expect(await source.read(70_000, 70_005)).toEqual(file.subarray(70_000, 70_005));
    expect(server.requests.map(({ path }) => path.slice(0, 2))).toEqual(["/x", "/e", "/e", "/x", "/e"]);
  });

  it("do not get the caller's headers by another way than fetch gives them", async () => {
    const other = await fileServer((request, response) => {
      expect(request.headers.authorization).toBeUndefined();
      serveFile(file, request, response);
    });
    const server = await fileServer((_, r) => void r.writeHead(302, { location: `${other.origin}/y` }).end());
    const { source } = await open(server, { headers: { authorization: "token" } });
    await source.read(70_000, 70_001);
    expect(server.requests).toHaveLength(2);
    expect(other.requests).toHaveLength(2);
  });

  it("to another file are a change", async () => {
    const server = await fileServer(redirecting);
    const { source } = await open(server, { headers: {} });
    const other = await fileServer((request, response) => serveFile(file, request, response, { etag: '"other"' }));
    server.handler = (_, response) => void response.writeHead(302, { location: `${other.origin}/y` }).end();
    await expect(source.read(70_000, 70_001)).rejects.toThrow('its ETag was "one", now "other"');
  });

  it("without end are an error", async () => {
    const server = await fileServer((_, response) => void response.writeHead(302, { location: "/x" }).end());
    await expect(open(server, { attempts: 1 })).rejects.toMatchObject({ tag: "InvalidDataError" });
    expect(server.requests.length).toBeLessThan(50);
  });

  it("from https to http are refused", async () => {
    const server = await fileServer(honest);
    const asHttp: typeof fetch = (url, init) => fetch(String(url).replace("https:", "http:"), init);
    const opening = openHttpFile(`${server.origin.replace("http:", "https:")}/x.h5ad`, { fetch: asHttp });
    await expect(opening).rejects.toMatchObject({ tag: "UnsupportedError" });
    await expect(opening).rejects.toThrow("which is not secure");
  });
});
