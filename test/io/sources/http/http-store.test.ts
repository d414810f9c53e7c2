import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openZarr } from "../../../../src/containers/zarr/open.js";
import { createHttpSource } from "../../../../src/io/sources/http/http-store.js";
import { InvalidDataError, InvalidInputError, UnsupportedError } from "../../../../src/model/errors.js";
import {
  arrayAt,
  describeValues,
  expectedArrays,
  readAll,
  storeEntries,
  wantedValues,
} from "../../../containers/zarr/stores.js";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const data = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
let server: Server;
let base = "";
let handler: Handler;
let requests: { url: string; range: string | undefined }[] = [];

/** Serves a value as a server with ranges does (RFC 9110, 14). */
function serve(value: Uint8Array | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (value === undefined) {
    response.writeHead(404).end("nothing");
    return;
  }
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
  if (match === null) {
    response.writeHead(200, { "content-length": value.length }).end(value);
    return;
  }
  const start = match[1] === "" ? Math.max(0, value.length - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? value.length : Math.min(value.length, Number(match[2]) + 1);
  if (start >= value.length) {
    response.writeHead(416, { "content-range": `bytes */${value.length}` }).end();
    return;
  }
  response.writeHead(206, {
    "content-range": `bytes ${start}-${end - 1}/${value.length}`,
    "content-length": end - start,
  });
  response.end(value.subarray(start, end));
}

beforeEach(async () => {
  requests = [];
  handler = (request, response) => serve(request.url?.endsWith("/x") ? data : undefined, request, response);
  server = createServer((request, response) => {
    requests.push({ url: request.url ?? "", range: request.headers.range });
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  base = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}/store.zarr` : "";
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe("httpSource", () => {
  it("gets values, says which are absent, and lists nothing", async () => {
    const source = createHttpSource(base);
    expect(await source.get("a/x")).toEqual(data);
    expect(await source.get("a/y")).toBeUndefined();
    expect(await source.getRanges("a/y", [{ start: 0, end: 5 }])).toBeUndefined();
    expect(await source.list("")).toBeNull();
  });

  it("encodes keys, keeps the query, sends headers", async () => {
    let token: string | undefined;
    handler = (request, response) => {
      token = request.headers.authorization;
      serve(data, request, response);
    };
    const source = createHttpSource(`${base}/?sig=a%2Fb&v=1#part`, { headers: { authorization: "token" } });
    await source.get("p%20q/#é?/.zarray");
    expect(requests.map(({ url }) => url)).toEqual(["/store.zarr/p%2520q/%23%C3%A9%3F/.zarray?sig=a%2Fb&v=1"]);
    expect(token).toBe("token");
  });

  it("merges neighbouring ranges into one request", async () => {
    const source = createHttpSource(base);
    const ranges = [
      { start: 200_000, end: 200_010 },
      { start: 0, end: 100 },
      { start: 20_000, end: 20_100 },
      { start: 20_050, end: 20_200 },
      { suffix: 7 },
      { start: 5, end: 5 },
      { start: 400_000, end: 400_001 },
      { start: 299_990, end: 300_100 },
    ];
    const parts = await source.getRanges("x", ranges);
    expect(parts).toEqual([
      data.slice(200_000, 200_010),
      data.slice(0, 100),
      data.slice(20_000, 20_100),
      data.slice(20_050, 20_200),
      data.slice(-7),
      new Uint8Array(0),
      new Uint8Array(0),
      data.slice(299_990),
    ]);
    expect(requests.map(({ range }) => range).sort()).toEqual([
      "bytes=-7",
      "bytes=0-20199",
      "bytes=200000-200009",
      "bytes=299990-300099",
      "bytes=400000-400000",
    ]);
  });

  it("gets the last bytes of a value that has fewer, where the server refuses them", async () => {
    const value = data.slice(0, 20);
    handler = (request, response) => {
      const isLong = Number(/^bytes=-(\d+)$/.exec(request.headers.range ?? "")?.[1] ?? 0) > value.length;
      if (isLong) response.writeHead(416).end("no such range");
      else serve(value, request, response);
    };
    const source = createHttpSource(base);
    expect(await source.getRanges("x", [{ suffix: 65536 }])).toEqual([value]);
    expect(await source.getRanges("x", [{ suffix: 7 }])).toEqual([value.slice(-7)]);
    expect(requests.map(({ range }) => range)).toEqual(["bytes=-65536", undefined, "bytes=-7"]);
  });

  it("reads through a server that ignores ranges, with one request", async () => {
    handler = (_, response) => void response.writeHead(200, { "content-length": data.length }).end(data);
    const parts = await createHttpSource(base).getRanges("x", [
      { start: 10, end: 20 },
      { start: 290_000, end: 290_001 },
      { suffix: 3 },
    ]);
    expect(parts).toEqual([data.slice(10, 20), data.slice(290_000, 290_001), data.slice(-3)]);
    expect(requests).toHaveLength(1);
  });

  it("tries again after server errors, and gives up by name", async () => {
    const normal = handler;
    handler = (request, response) => {
      if (requests.length < 3) response.writeHead(503).end();
      else normal(request, response);
    };
    expect(await createHttpSource(base).get("x")).toEqual(data);
    expect(requests).toHaveLength(3);

    handler = (_, response) => void response.writeHead(500).end();
    requests = [];
    const failing = createHttpSource(base, { attempts: 2 }).get("x");
    await expect(failing).rejects.toThrow(InvalidDataError);
    await expect(failing).rejects.toThrow(
      `${base}: x: the server answered 500 Internal Server Error, after 2 attempts in `,
    );
    expect(requests).toHaveLength(2);
  });

  it("tries again after an answer that is cut off", async () => {
    const normal = handler;
    handler = (request, response) => {
      if (requests.length > 1) return normal(request, response);
      response.writeHead(200, { "content-length": data.length });
      response.write(data.subarray(0, 1000), () => response.destroy());
    };
    expect(await createHttpSource(base).get("x")).toEqual(data);
    expect(requests).toHaveLength(2);
  });

  it("refuses parts that are not those asked for", async () => {
    handler = (_, response) =>
      void response.writeHead(206, { "content-range": "bytes 0-9/300000" }).end(data.subarray(0, 10));
    await expect(createHttpSource(base).getRanges("x", [{ start: 50, end: 60 }])).rejects.toThrow(
      "x: the server sent bytes 0-9, asked were 50-59",
    );
    handler = (_, response) =>
      void response.writeHead(206, { "content-range": "bytes 50-59/300000" }).end(data.subarray(0, 5));
    await expect(createHttpSource(base, { attempts: 1 }).getRanges("x", [{ start: 50, end: 60 }])).rejects.toThrow(
      "5 bytes, the server said 10",
    );
  });

  it.each([
    ["more than was asked for", "bytes 50-299999/300000", { start: 50, end: 60 }],
    ["less, though the value goes on", "bytes 50-54/300000", { start: 50, end: 60 }],
    ["more than was asked for, of a value of unknown length", "bytes 50-60/*", { start: 50, end: 60 }],
    ["the last bytes from too early on", "bytes 0-299999/300000", { suffix: 10 }],
    ["the last bytes, but not to the end", "bytes 200-209/300000", { suffix: 10 }],
  ])("refuses %s", async (_, contentRange, range) => {
    handler = (_, response) => void response.writeHead(206, { "content-range": contentRange }).end(data);
    const reading = createHttpSource(base).getRanges("x", [range]);
    await expect(reading).rejects.toMatchObject({ tag: "InvalidDataError" });
    await expect(reading).rejects.toThrow(/x: the server sent bytes \d+-\d+, asked were/);
  });

  it("reads no more than was asked for where Content-Range is hidden", async () => {
    handler = (_, response) => void response.writeHead(206).end(data);
    await expect(createHttpSource(base).getRanges("x", [{ start: 50, end: 60 }])).rejects.toThrow(
      "the server sent more than the 10 bytes that were asked for",
    );
  });

  it("does not take a refusal for absence, unless it is told to", async () => {
    handler = (_, response) => void response.writeHead(403).end();
    await expect(createHttpSource(base).get("x")).rejects.toThrow(UnsupportedError);
    await expect(createHttpSource(base).get("x")).rejects.toThrow("absentStatus");
    expect(await createHttpSource(base, { absentStatus: [404, 403] }).get("x")).toBeUndefined();
    handler = (_, response) => void response.writeHead(400).end();
    await expect(createHttpSource(base).get("x")).rejects.toThrow("x: the server answered 400 Bad Request");
  });

  it("stops when it is cancelled, also while it waits to try again", async () => {
    handler = (_, response) => void response.writeHead(500).end();
    const started = performance.now();
    const signal = AbortSignal.timeout(30);
    await expect(createHttpSource(base, { attempts: 100 }).get("x", { signal })).rejects.toThrow(
      expect.objectContaining({ name: "TimeoutError" }),
    );
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("gives up on a server that stops in the middle", async () => {
    handler = (_, response) => {
      response.writeHead(200, { "content-length": data.length });
      response.write(data.subarray(0, 1000));
    };
    await expect(createHttpSource(base, { attempts: 2, stall: 50 }).get("x")).rejects.toThrow(
      /x: only 1000 bytes came in 0\.\d s, after 2 attempts/,
    );
    expect(requests).toHaveLength(2);
  });

  it("refuses keys that lead elsewhere, and other protocols", async () => {
    await expect(createHttpSource(base).get("../x")).rejects.toThrow(InvalidInputError);
    await expect(createHttpSource(base).get("a//x")).rejects.toThrow(InvalidInputError);
    expect(requests).toEqual([]);
    expect(() => createHttpSource("file:///etc/passwd")).toThrow(InvalidInputError);
    expect(() => createHttpSource("store.zarr")).toThrow(InvalidInputError);
  });

  it("names a server that is not there", async () => {
    const reading = createHttpSource("http://127.0.0.1:9/", { attempts: 2 }).get("x");
    await expect(reading).rejects.toThrow(InvalidDataError);
    await expect(reading).rejects.toThrow("after 2 attempts");
  });
});

describe("a Zarr store over HTTP", () => {
  it("is listed by its consolidated metadata and reads as in Python", async () => {
    const entries = await storeEntries("v3");
    handler = (request, response) =>
      serve(entries.get(decodeURIComponent((request.url ?? "").replace("/store.zarr/", ""))), request, response);
    const container = await openZarr(createHttpSource(base));
    expect(await container.root.keys()).toContain("sharded");
    expect(requests.map(({ url }) => url)).toEqual(["/store.zarr/zarr.json"]);

    const expected = new Map(expectedArrays("v3"));
    for (const path of ["text_2d", "sharded", "sharded_2d", "sharded_holes", "sharded_text", "scalar", "fill_u64"]) {
      const wanted = expected.get(path);
      if (wanted === undefined) throw new Error(`no ${path}`);
      expect(describeValues(await readAll(await arrayAt(container, path)))).toEqual(wantedValues(wanted));
    }
    requests = [];
    await (await arrayAt(container, "sharded")).read(0, 200);
    // The index and one request for four neighbouring inner chunks.
    expect(requests.map(({ range }) => range?.replace(/\d+-\d+/, "part"))).toEqual(["bytes=-116", "bytes=part"]);
  });
});
