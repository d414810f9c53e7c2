/** Pages of others, in a browser on the same machine. */

import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import type { ServeOptions } from "../../src/serve/serve.node.js";
import { type Served, served } from "./served.js";

let here: Served | null = null;
afterEach(async () => {
  await here?.close();
  here = null;
});

async function answers(options: ServeOptions): Promise<(headers: Record<string, string>) => Promise<string>> {
  here = await served(options);
  const { hostname, port } = new URL(here.http);
  return (headers) =>
    new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: "/pbmc.h5ad", headers }, (response) => {
        let body = "";
        response.on("data", (chunk) => {
          body += chunk;
        });
        response.on("end", () => resolve(`${response.statusCode} ${response.statusCode === 200 ? "" : body}`.trim()));
      });
      sent.on("error", reject).end();
    });
}

test("a name that leads to this machine is refused, its own names are not", async () => {
  const get = await answers({});
  for (const host of [
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.1.2.3",
  ]) {
    expect(await get({ host }), host).toMatch(/^421 .*misdirected.*--allow-host/);
  }
  const { port } = new URL(here?.http ?? "");
  for (const host of [`127.0.0.1:${port}`, "127.0.0.1", `localhost:${port}`, "LOCALHOST:9000", "[::1]:80", "[::1]"]) {
    expect(await get({ host }), host).toBe("200");
  }
});

test("names that were given are the server's", async () => {
  const get = await answers({ allowHost: ["data.example.org", "[fe80::1]"] });
  for (const host of ["data.example.org", "Data.example.org:8443", "[fe80::1]:80"])
    expect(await get({ host })).toBe("200");
  expect(await get({ host: "other.example.org" })).toMatch(/^421 /);
});

test("any name may be allowed", async () => {
  const get = await answers({ allowHost: "*" });
  expect(await get({ host: "evil.example" })).toBe("200");
});

test("a server on all addresses is called by the one that a request comes in at", async () => {
  const get = await answers({ host: "0.0.0.0" });
  expect(await get({ host: "127.0.0.1:1" })).toBe("200");
  expect(await get({ host: "10.1.2.3" })).toMatch(/^421 /);
});

test("where a token is needed the name does not matter: no page knows it", async () => {
  const get = await answers({ token: "secret" });
  expect(await get({ host: "evil.example" })).toMatch(/^401 /);
  expect(await get({ host: "evil.example", authorization: "Bearer secret" })).toBe("200");
});

test("a page of another site may ask where cors names it", async () => {
  const get = await answers({ cors: "https://example.org" });
  const page = { host: "localhost", "sec-fetch-site": "cross-site" };
  expect(await get({ ...page, origin: "https://example.org" })).toBe("200");
  expect(await get({ ...page, origin: "https://evil.example" })).toMatch(/^403 .*--cors/);
  // A picture, a script, a link.
  expect(await get(page)).toMatch(/^403 /);
  for (const site of ["same-origin", "same-site", "none"]) {
    expect(await get({ ...page, "sec-fetch-site": site })).toBe("200");
  }
});
