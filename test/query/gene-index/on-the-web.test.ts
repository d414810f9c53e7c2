import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { refuse, s3Server } from "../../../packages/cloud/test/s3-server.js";
import { open as openOnPages } from "../../../packages/published/src/index.js";
import { removeCompanion, writeCompanion } from "../../../packages/published/src/node.js";
import { openStored } from "../../../src/api/open.node.js";
import { open, place } from "../../formats/conversion/opened.js";
import { fileServer, serveFile } from "../../io/sources/file-server.js";

/** A folder with a file and its companion, by a server that gives the files their own times, or others. */
async function served(times: (path: string, own: number) => number | null) {
  const folder = place("folder");
  mkdirSync(folder);
  const file = join(folder, "pbmc.h5ad");
  cpSync("examples/pbmc.h5ad", file);
  await writeCompanion(file, { beside: true });
  const server = await fileServer((request, response) => {
    const path = join(folder, decodeURIComponent(new URL(request.url ?? "", "http://localhost").pathname));
    if (!existsSync(path) || statSync(path).isDirectory()) return void response.writeHead(404).end();
    const time = times(path, statSync(path).mtimeMs);
    const modified = time === null ? null : new Date(time).toUTCString();
    serveFile(readFileSync(path), request, response, { etag: null, "last-modified": modified });
  });
  return { file, server, url: `${server.origin}/pbmc.h5ad` };
}

const HOUR = 3_600_000;

test.each([
  ["the times of the disk", (_: string, own: number) => own, true],
  ["a companion that came with its file", () => 5 * HOUR, true],
  ["a file that came after its companion", (path: string) => (path.endsWith(".h5ad") ? 6 : 5) * HOUR, false],
  ["no times", () => null, false],
] as const)("%s: is the companion beside a file used?", async (_, times, isUsed) => {
  const { file, server, url } = await served(times);
  const expected = await (await open(file, { companion: "off" })).gene("SIMG0000005", { layer: "counts" });
  for (const openUrl of [open, openOnPages]) {
    const data = await openUrl(url);
    const before = server.requests.length;
    expect(await data.gene("SIMG0000005", { layer: "counts" })).toEqual(expected);
    const asked = server.requests.slice(before).map((request) => request.path);
    expect(asked).toContain("/pbmc.h5ad.annarrow/manifest.json");
    expect(asked.some((path) => path.endsWith("/index_data"))).toBe(isUsed);
    await data.close();
  }
});

test("nothing is asked of the server where companions are off, and before a gene is read", async () => {
  const { server, url } = await served((_, own) => own);
  const isAsked = () => server.requests.some(({ path }) => path.includes(".annarrow"));
  const data = await open(url);
  await data.table("X").read({ where: { row: [1, 2] } });
  const off = await open(url, { companion: "off" });
  await off.gene("SIMG0000005");
  expect(isAsked()).toBe(false);
  await data.gene("SIMG0000005");
  expect(isAsked()).toBe(true);
  await expect(openOnPages(url, { companion: "folder" })).rejects.toThrow('"auto" or "off" on pages, not folder');
});

test("a file on the web has its companion in a folder of them", async () => {
  const { file, server, url } = await served((path, own) => (path.includes(".annarrow") ? null : own));
  const cache = place("cache");
  const { path } = await writeCompanion(url, { cache });
  expect(readdirSync(cache)).toEqual([basename(path ?? "")]);
  const expected = await (await open(file, { companion: "off" })).gene("SIMG0000005");
  const data = await open(url, { companion: cache });
  const before = server.requests.length;
  expect(await data.gene("SIMG0000005")).toEqual(expected);
  expect(server.requests.length - before).toBeLessThan(12);
  await expect(writeCompanion(url, { beside: true })).rejects.toThrow("nothing is written on a server");
});

test("a signature in the query finds the companion of its folder, and stands in no name", async () => {
  const { server, url } = await served((_, own) => own);
  const answer = server.handler;
  const refused: string[] = [];
  server.handler = (request, response) => {
    if (new URL(request.url ?? "", "http://localhost").searchParams.get("sig") === "a/b+c=")
      return answer(request, response);
    refused.push(request.url ?? "");
    response.writeHead(403).end();
  };
  const signed = `${url}?sig=a%2Fb%2Bc%3D`;
  const data = await open(signed);
  const before = server.requests.length;
  await data.gene("SIMG0000005");
  const asked = server.requests.slice(before).map(({ path }) => path.replace(/\?.*$/, ""));
  expect(asked.some((path) => path.endsWith("/index_data"))).toBe(true);
  expect(refused).toEqual([]);
  expect((await (await openStored(signed)).companion?.state())?.name).toBe(`${server.origin}/pbmc.h5ad.annarrow/?…`);
});

test("in an object store, under any key", async () => {
  const { file } = await served((_, own) => own);
  const server = await s3Server();
  const key = "50% of/a b+c.h5ad";
  server.objects.set(key, readFileSync(file));
  const beside = `${file}.annarrow`;
  for (const name of readdirSync(beside, { recursive: true, encoding: "utf8" })) {
    if (statSync(join(beside, name)).isFile())
      server.objects.set(`${key}.annarrow/${name}`, readFileSync(join(beside, name)));
  }
  const credentials = { accessKeyId: "testing", secretAccessKey: "testing" };
  const options = { cloud: { s3: { endpoint: server.endpoint, credentials, region: "us-east-1" } } };
  const expected = await (await open(file, { companion: "off" })).gene("SIMG0000005");
  const data = await open(`s3://bucket/${key}`, options);
  expect(await data.gene("SIMG0000005")).toEqual(expected);
  expect(server.requests.some((request) => request.key.endsWith("/index_data"))).toBe(true);
  // One in a folder of companions knows the ETag of the object.
  server.objects.delete(`${key}.annarrow/manifest.json`);
  const cache = place("cache-of-objects");
  expect(await writeCompanion(`s3://bucket/${key}`, { ...options, cache })).toMatchObject({ written: true });
  const again = { ...options, companion: cache };
  expect((await (await openStored(`s3://bucket/${key}`, again)).companion?.state())?.problem).toBeNull();
  server.objects.set(key, Buffer.concat([readFileSync(file), Buffer.alloc(8)]));
  expect((await (await openStored(`s3://bucket/${key}`, again)).companion?.state())?.problem).toMatch(/bytes/);
});

test("beside an object: written whole or not at all, used, replaced and removed", async () => {
  const server = await s3Server({ "a b%.h5ad": readFileSync("examples/pbmc.h5ad") });
  const credentials = { accessKeyId: "testing", secretAccessKey: "testing" };
  const options = { cloud: { s3: { endpoint: server.endpoint, credentials, region: "us-east-1" } } };
  const url = "s3://bucket/a b%.h5ad";
  const beside = () => [...server.objects.keys()].filter((key) => key.startsWith("a b%.h5ad.annarrow/"));
  const state = async () => (await openStored(url, { ...options, whole: true })).companion?.state();

  server.intervene = ({ method, key }, response) =>
    method !== "GET" && key.endsWith("manifest.json") && refuse(response, 403, "AccessDenied");
  await expect(writeCompanion(url, { ...options, beside: true })).rejects.toThrow("AccessDenied");
  expect(beside()).toEqual([]);
  server.intervene = () => false;

  const wanted = { ...options, beside: true };
  const made = await writeCompanion(url, wanted);
  expect(made).toMatchObject({ path: `${url}.annarrow`, written: true, removed: [] });
  expect(await writeCompanion(url, wanted)).toMatchObject({ path: `${url}.annarrow`, written: false });
  expect(await state()).toMatchObject({ name: `${url}.annarrow/`, problem: null });
  const puts = server.requests.filter(({ method, key }) => method === "PUT" && key.includes(".annarrow/"));
  expect(puts.at(-1)?.key).toBe("a b%.h5ad.annarrow/manifest.json");
  const expected = await (await open("examples/pbmc.h5ad", { companion: "off" })).gene("SIMG0000005");
  const data = await open(url, options);
  const before = server.requests.length;
  expect(await data.gene("SIMG0000005")).toEqual(expected);
  expect(server.requests.slice(before).some(({ key }) => key.endsWith("/index_data"))).toBe(true);
  await data.close();

  const old = beside();
  server.objects.set("a b%.h5ad", Buffer.concat([readFileSync("examples/pbmc.h5ad"), Buffer.alloc(8)]));
  expect((await state())?.problem).toMatch(/bytes/);
  expect(await writeCompanion(url, wanted)).toMatchObject({ written: true });
  expect((await state())?.problem).toBeNull();
  expect(beside().filter((key) => old.includes(key))).toEqual(["a b%.h5ad.annarrow/manifest.json"]);

  const cache = place("cache-of-nothing");
  expect(await removeCompanion(url, { ...options, cache })).toEqual([`${url}.annarrow`]);
  expect([...server.objects.keys()]).toEqual(["a b%.h5ad"]);
  expect(await removeCompanion(url, { ...options, cache })).toEqual([]);
});
