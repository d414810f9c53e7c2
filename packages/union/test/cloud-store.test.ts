/** The folder of a union in a small S3; packages/cloud/test/union-servers.test.ts makes unions in real servers. */

import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import type { HttpOptions } from "../../../src/io/http/http-exchange.js";
import { place } from "../../../test/formats/conversion/opened.js";
import { refuse, type S3Server, s3Server } from "../../cloud/test/s3-server.js";
import { open, planUnion, split, union } from "../../published/src/node.js";
import { openCloudUnionStore } from "../src/cloud-store.node.js";

const credentials = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "secret" };

const at = ({ endpoint }: S3Server, http: HttpOptions = { attempts: 3 }) => ({
  cloud: { s3: { endpoint, credentials, region: "r-1" } },
  http,
});

const storeIn = (server: S3Server, onAdd?: (path: string) => void) =>
  openCloudUnionStore("s3://bucket/lab/atlas/", at(server), onAdd);

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

const keys = (server: S3Server) => [...server.objects.keys()].sort();

describe("files in an object store", () => {
  test("have names that their content gives, and are sent once", async () => {
    const server = await s3Server({ "lab/atlas-2/other": "1" });
    const added: string[] = [];
    const store = await storeIn(server, (path) => added.push(path));
    const nameOf = (hash: string) => `X/a b/0-${hash}.parquet`;
    const one = await store.add(nameOf, chunks("ab", "c"));
    // sha256sum of abc
    expect(one).toEqual({
      file: "X/a b/0-ba7816bf8f01cfea.parquet",
      bytes: 3,
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    });
    expect(await store.add(nameOf, chunks("a", "bc"))).toEqual(one);
    expect(added).toEqual([one.file]);
    expect(server.requests.filter(({ method }) => method === "PUT")).toHaveLength(1);
    expect(await store.text(one.file)).toBe("abc");
    expect(await store.size(one.file)).toBe(3);
    expect([await store.text("X/b"), await store.size("X/b")]).toEqual([null, null]);
    await store.put("tasks/1.json", "{}");
    expect(await store.list("")).toEqual([one.file, "tasks/1.json"]);
    expect(await store.list("tasks")).toEqual(["tasks/1.json"]);
    await store.remove(["tasks/1.json", "not/there"]);
    expect(keys(server)).toEqual([`lab/atlas/${one.file}`, "lab/atlas-2/other"].sort());
  });

  test("that fail while they are made, or are refused, leave nothing, neither there nor on the disk", async () => {
    const server = await s3Server();
    const store = await storeIn(server);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* chunks("abc");
      throw new Error("no more");
    }
    await expect(store.add((hash) => `X/${hash}`, failing())).rejects.toThrow("no more");
    server.intervene = ({ method }, response) => method === "PUT" && refuse(response, 403, "AccessDenied");
    await expect(store.add((hash) => `X/${hash}`, chunks("abc"))).rejects.toThrow(/s3:\/\/bucket.*because/);
    expect(keys(server)).toEqual([]);
    const left = readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid}-`) && /upload/.test(name));
    expect(left).toEqual([]);
  });
});

describe("the manifest in an object store", () => {
  test("is replaced by who knows the present one, and by nobody else", async () => {
    const server = await s3Server();
    const store = await storeIn(server);
    await store.replaceManifest(null, "1");
    await expect(store.replaceManifest(null, "other")).rejects.toThrow(/another commit came first/);
    await store.replaceManifest("1", "22");
    await expect(store.replaceManifest("1", "other")).rejects.toThrow(/another commit came first/);
    expect(String(server.objects.get("lab/atlas/manifest.json"))).toBe("22");
    const conditions = server.requests.flatMap(({ method, headers }) =>
      method === "PUT" ? [headers["if-none-match"] ?? headers["if-match"]] : [],
    );
    expect(conditions).toEqual(["*", expect.stringMatching(/^".+"$/)]);
  });

  test("has one winner, however the requests of two commits fall together", async () => {
    const server = await s3Server();
    const store = await storeIn(server);
    await store.replaceManifest(null, "0");
    const all = Array.from({ length: 8 }, (_, i) => store.replaceManifest("0", `${i + 1}`.repeat(i + 2)));
    const done = await Promise.allSettled(all);
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const won = done.findIndex(({ status }) => status === "fulfilled");
    expect(await store.text("manifest.json")).toBe(`${won + 1}`.repeat(won + 2));
  });

  test("that was put although its answer was lost is no other commit", async () => {
    const server = await s3Server();
    const store = await storeIn(server);
    let lost = 0;
    server.intervene = ({ method, key, body }, response) => {
      if (method !== "PUT" || lost++ > 0) return false;
      server.objects.set(key, body);
      response.destroy();
      return true;
    };
    await store.replaceManifest(null, "mine");
    expect(lost).toBe(2);
    expect(await store.text("manifest.json")).toBe("mine");
  });
});

describe("a union in an object store", () => {
  async function donors(): Promise<string[]> {
    const folder = place("folder");
    const pbmc = await open("examples/pbmc.h5ad");
    await split(pbmc, folder, { by: "donor" });
    await pbmc.close();
    return readdirSync(folder)
      .filter((name) => name.endsWith(".h5ad"))
      .map((name) => `${folder}/${name}`);
  }

  test("is not there, and leaves nothing, where a part or the manifest is refused", async () => {
    const inputs = await donors();
    for (const refused of [/\/X\//, /\/tasks\//, /manifest\.json$/]) {
      const server = await s3Server();
      server.intervene = ({ method, key }, response) =>
        method === "PUT" && refused.test(key) && refuse(response, 403, "AccessDenied");
      await expect(union(inputs, "s3://bucket/atlas", at(server))).rejects.toThrow(/because/);
      expect(server.objects.has("atlas/manifest.json")).toBe(false);
      // Of a manifest whose fate is unknown, the files stay: `union clean` removes them.
      if (!refused.test("manifest.json")) expect(keys(server)).toEqual([]);
    }
  });

  test("is made although connections are lost, and its files are the ones of a folder", async () => {
    const inputs = await donors();
    const server = await s3Server();
    let asked = 0;
    server.intervene = (_, response) => {
      if (asked++ % 5 !== 3) return false;
      response.destroy();
      return true;
    };
    const { shape } = await union(inputs, "s3://bucket/atlas", at(server, { attempts: 8 }));
    const folder = place("atlas");
    expect((await union(inputs, folder)).shape).toEqual(shape);
    server.intervene = () => false;
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(keys(server).map((key) => key.split("/").at(-1))).toEqual(
      expect.arrayContaining(files.map(({ name }) => name)),
    );
    expect(server.objects.size).toBe(files.length);
  });

  test("of a bucket alone, or of a service that is only read, is refused before anything is read", async () => {
    await expect(planUnion(["none.h5ad"], "s3://bucket/")).rejects.toThrow(/names no folder in the bucket/);
    await expect(planUnion(["none.h5ad"], "hf://datasets/a/b/c")).rejects.toThrow(/is read, not written/);
    await expect(planUnion(["none.h5ad"], "https://example.org/c")).rejects.toThrow(/s3:\/\/, gs:\/\/ or az:\/\//);
  });
});
