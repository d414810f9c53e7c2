import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSigned } from "../../packages/cloud/test/signed.js";
import { fileServer, type Handler, serveFile } from "../io/sources/file-server.js";
import { launch } from "./chromium.js";
import { pageFiles } from "./for-pages.js";
import { type Server, serve } from "./server.js";

const KEY = "study/50% of a b+c.h5ad";
const ACCESS = { accessKeyId: "ID", secretAccessKey: "S+/=" };

const profile = mkdtempSync(join(tmpdir(), "annarrow-cloud-"));
const file = readFileSync("examples/pbmc.h5ad");
let browser: Awaited<ReturnType<typeof launch>>;
let own: Server;
let page: Page;

beforeAll(async () => {
  own = await serve(await pageFiles("cloud-page"));
  browser = await launch(profile);
  page = await browser.newPage();
  await page.goto(`${own.url}/index.html`);
  await page.waitForFunction(() => "cellsOf" in window);
});

afterAll(async () => {
  await browser?.close();
  own?.close();
  rmSync(profile, { recursive: true, force: true });
});

/** What a bucket that pages may read from answers before a request with a signature or a token. */
function allow(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-expose-headers", "Content-Range, ETag");
  if (request.method !== "OPTIONS") return false;
  response.setHeader("access-control-allow-methods", "GET, HEAD");
  response.setHeader("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "");
  response.writeHead(204).end();
  return true;
}

/** A server with the file at `path`, for requests that `mayRead`. */
function bucket(path: string, mayRead: (request: IncomingMessage) => boolean) {
  const handler: Handler = (request, response) => {
    if (allow(request, response)) return;
    if (!mayRead(request)) {
      response.writeHead(403, { "content-type": "application/xml" });
      response.end("<Error><Code>SignatureDoesNotMatch</Code><Message>wrong</Message></Error>");
    } else if ((request.url ?? "").split("?")[0] === path) serveFile(file, request, response);
    else response.writeHead(404).end();
  };
  return fileServer(handler);
}

const encoded = KEY.split("/").map(encodeURIComponent).join("/");

/** By examples/make_pbmc_sim.py. */
const { firstCells: cells } = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));

async function cellsAt(address: string, cloud: Parameters<Window["cellsOf"]>[1]): Promise<unknown> {
  const found = await page.evaluate(([where, options]) => window.cellsOf(where, options), [address, cloud] as const);
  return typeof found === "string" ? found : found.slice(0, cells.length);
}

describe("a page reads from object stores", () => {
  test("S3 by keys that it is given, which sign every request", async () => {
    const { origin, requests } = await bucket(`/bucket/${encoded}`, (request) =>
      isSigned(request, ACCESS.accessKeyId, ACCESS.secretAccessKey),
    );
    const s3 = { endpoint: origin, region: "eu-west-1", credentials: ACCESS };
    expect(await cellsAt(`s3://bucket/${KEY}`, { s3 })).toEqual(cells);
    expect(requests.filter(({ method }) => method === "GET").length).toBeGreaterThan(1);
    const wrong = { ...s3, credentials: { ...ACCESS, secretAccessKey: "other" } };
    expect(await cellsAt(`s3://bucket/${KEY}`, { s3: wrong })).toMatch(/SignatureDoesNotMatch/);
  });

  test("S3 without keys, where everybody may read", async () => {
    const { origin } = await bucket(`/bucket/${encoded}`, ({ headers }) => headers.authorization === undefined);
    expect(await cellsAt(`s3://bucket/${KEY}`, { s3: { endpoint: origin, region: "r" } })).toEqual(cells);
  });

  test("Google by a token", async () => {
    const { origin } = await bucket(`/bucket/${encoded}`, ({ headers }) => headers.authorization === "Bearer t");
    expect(await cellsAt(`gs://bucket/${KEY}`, { gs: { endpoint: origin, token: "t" } })).toEqual(cells);
  });

  test("Azure by a signature that everybody may pass on", async () => {
    const { origin } = await bucket(`/box/${encoded}`, ({ url = "" }) => url.endsWith("?sv=1&sig=a%2Fb%2Bc%3D"));
    const az = { account: "a", endpoint: origin, sas: "sv=1&sig=a%2Fb%2Bc%3D" };
    expect(await cellsAt(`az://box/${KEY}`, { az })).toEqual(cells);
  });
});
