/** Who may ask the server of a page, and what a browser is told of the page. */

import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { type RunningView, runningView } from "./running-view.js";

let view: RunningView;
beforeAll(async () => {
  await ensureBuilt();
  view = await runningView(["examples/pbmc.h5ad"]);
});
afterAll(() => view.server.close());

const INPUTS = { call: "inputs" };

describe("names and origins", () => {
  test.each(["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "10.1.2.3"])(
    "the host %j is not the server's",
    async (host) => {
      expect((await view.ask(INPUTS, { host })).status).toBe(421);
      expect((await view.send("/", { headers: { host } })).status).toBe(421);
    },
  );

  test("its own names are", async () => {
    const { port } = view.server;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect((await view.ask(INPUTS, { host, origin: `http://${host}` })).status).toBe(200);
    }
  });

  test.each<Record<string, string>>([
    { origin: "http://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:1" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
  ])("a page elsewhere may not ask: %j", async (headers) => {
    const { status, body } = await view.ask(INPUTS, headers);
    expect(status).toBe(403);
    expect(String(body)).toContain("only the page of this server");
  });

  test("a page elsewhere may not load the page's files, but link to it", async () => {
    const elsewhere = { "sec-fetch-site": "cross-site" };
    expect((await view.send("/assets/main.js", { headers: elsewhere })).status).toBe(403);
    expect((await view.send("/", { headers: { ...elsewhere, "sec-fetch-mode": "no-cors" } })).status).toBe(403);
    expect((await view.send("/", { headers: { ...elsewhere, "sec-fetch-mode": "navigate" } })).status).toBe(200);
  });

  test("no answer is for other origins", async () => {
    const { headers } = await view.ask(INPUTS);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    const preflight = { origin: "http://evil.example", "access-control-request-method": "POST" };
    expect((await view.send("/ask", { method: "OPTIONS", headers: preflight })).status).toBe(403);
    expect((await view.send("/ask", { method: "OPTIONS" })).status).toBe(405);
  });
});

describe("the token", () => {
  test.each(["", "Bearer", "Bearer x", "Basic dXNlcjpwYXNz"])("is not %j", async (authorization) => {
    expect((await view.ask(INPUTS, { authorization })).status).toBe(401);
  });

  test("is needed", async () => {
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(INPUTS) };
    expect((await view.send("/ask", sent)).status).toBe(401);
    expect((await view.send(`/ask?token=${view.server.token}`, sent)).status).toBe(401);
  });

  test("differs between servers, and stands behind the # of the address", async () => {
    const other = await runningView(["examples/pbmc.h5ad"]);
    try {
      expect(other.server.token).not.toBe(view.server.token);
      expect(other.server.token).toMatch(/^[\w-]{32}$/);
      expect(new URL(other.server.url).hash).toBe(`#token=${other.server.token}`);
      expect((await view.ask(INPUTS, { authorization: `Bearer ${other.server.token}` })).status).toBe(401);
    } finally {
      await other.server.close();
    }
  });
});

describe("requests", () => {
  test.each([
    ["no JSON", "{", 400],
    ["no request", "[]", 400],
    ["a call that is not there", '{"call":"exec"}', 400],
    ["a member that is not there", '{"call":"inputs","more":1}', 400],
    ["a position below 0", '{"call":"rows","input":"pbmc.h5ad","table":"obs","at":[-1]}', 400],
    ["a name of Object.prototype", '{"call":"describe","input":"__proto__"}', 404],
    ["a path for a name", '{"call":"describe","input":"/etc/passwd"}', 404],
  ])("%s is refused", async (_, body, status) => {
    const headers = { authorization: `Bearer ${view.server.token}`, "content-type": "application/json" };
    const answer = await view.send("/ask", { method: "POST", headers, body });
    expect(answer.status).toBe(status);
    expect(answer.json()).toEqual({ error: expect.any(String), message: expect.any(String) });
  });

  test("forms of pages elsewhere, which need no preflight, are refused", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      expect((await view.ask(INPUTS, { "content-type": type })).status, type).toBe(400);
    }
  });

  test("too large a body is refused before it is read", async () => {
    const { status, headers } = await new Promise<{ status: string; headers: string }>((resolve, reject) => {
      const socket = connect(view.server.port, "127.0.0.1", () => {
        socket.write(
          `POST /ask HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${view.server.token}\r\ncontent-type: application/json\r\ncontent-length: 4000000000\r\n\r\n{`,
        );
      });
      socket.once("data", (data) => {
        const [status = "", ...headers] = String(data).split("\r\n");
        socket.destroy();
        resolve({ status, headers: headers.join("\n").toLowerCase() });
      });
      socket.once("error", reject);
    });
    expect(status).toContain("413");
    expect(headers).toContain("connection: close");
  });

  test("a body without a length is cut off", async () => {
    const long = " ".repeat(2 ** 25 + 1);
    const headers = { authorization: `Bearer ${view.server.token}`, "content-type": "application/json" };
    const sent = view.send("/ask", {
      method: "POST",
      headers: { ...headers, "transfer-encoding": "chunked" },
      body: long,
    });
    // The answer, or the end of the connection, whichever the client sees first.
    const status = await sent.then(
      (answer) => answer.status,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect([413, "ECONNRESET", "EPIPE"]).toContain(status);
  });

  test.each(["PUT", "DELETE", "PATCH", "POST"])("%s of a file is no method", async (method) => {
    const { status, headers } = await view.send("/", { method });
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
    expect((await view.send("/ask", { method: "GET" })).headers.allow).toBe("POST");
  });
});

describe("files of the page", () => {
  test.each([
    "/../package.json",
    "/assets/../../package.json",
    "/assets/..%2f..%2fpackage.json",
    "/%2e%2e/package.json",
    "/assets/%2e%2e/%2e%2e/cli/main.js",
    "/..\\package.json",
    "//etc/passwd",
    "/assets/",
    "/assets",
    "/download/x",
    "/nothing",
  ])("%s is none", async (path) => {
    const { status, body } = await view.send(path);
    expect([404, 410]).toContain(status);
    expect(String(body)).not.toContain('"version"');
  });

  test("have the headers that confine the page", async () => {
    for (const path of ["/", "/assets/main.js", "/nothing"]) {
      const { headers } = await view.send(path);
      const policy = new Map(
        String(headers["content-security-policy"])
          .split("; ")
          .map((part) => [part.slice(0, part.indexOf(" ")), part.slice(part.indexOf(" ") + 1)]),
      );
      expect(policy.get("default-src")).toBe("'none'");
      for (const directive of ["script-src", "style-src", "connect-src", "worker-src"]) {
        expect(policy.get(directive), directive).toBe("'self'");
      }
      for (const directive of ["base-uri", "form-action", "frame-ancestors"]) {
        expect(policy.get(directive), directive).toBe("'none'");
      }
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    }
  });

  test("are sent again only when they have changed, and compressed", async () => {
    const whole = await view.send("/assets/main.js");
    expect(whole.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const small = await view.send("/assets/main.js", { headers: { "accept-encoding": "gzip, br" } });
    expect(small.headers["content-encoding"]).toBe("br");
    expect(small.body.length).toBeLessThan(whole.body.length);
    const { brotliDecompressSync } = await import("node:zlib");
    expect(brotliDecompressSync(small.body).equals(whole.body)).toBe(true);
    const again = await view.send("/assets/main.js", { headers: { "if-none-match": String(whole.headers.etag) } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const head = await view.send("/assets/main.js", { method: "HEAD" });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers["content-length"]).toBe(String(whole.body.length));
  });
});

test("named origins may show the page in a frame, and nobody else", async () => {
  const framed = await runningView(["examples/pbmc.h5ad"], {
    frameOrigins: ["http://localhost:8888", "http://127.0.0.1:*"],
  });
  try {
    const { headers } = await framed.send("/");
    expect(headers["content-security-policy"]).toMatch(
      /; frame-ancestors http:\/\/localhost:8888 http:\/\/127\.0\.0\.1:\*$/,
    );
    expect(headers["x-frame-options"]).toBeUndefined();
    expect((await view.send("/")).headers["x-frame-options"]).toBe("DENY");
  } finally {
    await framed.server.close();
  }
});

test.each([
  "*",
  "http://*:80",
  "http://a.example:*:1",
  "localhost:8888",
  "http://localhost:8888/",
  "javascript:alert(1)",
  "http://a; script-src *",
  "",
])("%j is no origin", async (origin) => {
  await expect(runningView(["examples/pbmc.h5ad"], { frameOrigins: [origin] })).rejects.toThrow("is no origin");
});
