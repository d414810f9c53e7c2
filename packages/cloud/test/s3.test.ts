import { afterEach, describe, expect, test, vi } from "vitest";
import type { ByteSource, KeyValueSource } from "../../../src/io/sources/source.js";
import { openCloudSource } from "../src/cloud-source.js";
import { parseAddress } from "../src/objects/address.js";
import type { CloudStore } from "../src/objects/cloud-store.js";
import type { S3Options } from "../src/objects/options.js";
import { openCloudStore } from "../src/open-cloud-store.js";
import { createS3Fetch } from "../src/s3/s3-fetch.js";
import { createS3Store } from "../src/s3/s3-store.js";
import { refuse, type S3Server, s3Server, xml } from "./s3-server.js";

const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

afterEach(() => void vi.useRealTimers());

/** Options of a server; no variable of the environment comes in. */
const at = ({ endpoint }: S3Server, more: S3Options = {}) => ({
  s3: { endpoint, credentials, region: "r-1", ...more },
});

const storeOf = (server: S3Server): CloudStore => createS3Store("bucket", at(server).s3, {});

async function fileIn(server: S3Server, address: string): Promise<ByteSource> {
  const source = await openCloudSource(address, at(server));
  if (source.kind !== "bytes") throw new Error("a file was expected");
  return source;
}

async function folderIn(server: S3Server, address: string): Promise<KeyValueSource> {
  const source = await openCloudSource(address, at(server));
  if (source.kind !== "keys") throw new Error("a folder was expected");
  return source;
}

// Amazon S3 API Reference, "Examples: Signature Calculations in AWS Signature Version 4".
test.each([
  ["?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
  ["?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
])("the published signature of a request for %s", async (query, signature) => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2013-05-24T00:00:00Z") });
  const sent: Headers[] = [];
  const send: typeof fetch = async (_, init) => {
    sent.push(new Headers(init?.headers));
    return new Response("");
  };
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const signing = createS3Fetch("examplebucket", { region: "us-east-1", credentials }, send);
  await signing(`https://examplebucket.s3.amazonaws.com/${query}`, { headers: { "x-amz-content-sha256": empty } });
  expect(sent[0].get("authorization")).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
  );
});

describe("addresses", () => {
  test.each<[string, S3Options, string]>([
    ["bucket", {}, "https://bucket.s3.us-east-1.amazonaws.com/a%20b"],
    ["bucket", { region: "cn-north-1" }, "https://bucket.s3.cn-north-1.amazonaws.com.cn/a%20b"],
    ["a.bucket", { region: "eu-west-1" }, "https://s3.eu-west-1.amazonaws.com/a.bucket/a%20b"],
    ["bucket", { pathStyle: true }, "https://s3.us-east-1.amazonaws.com/bucket/a%20b"],
    ["bucket", { endpoint: "http://localhost:9000/s3/" }, "http://localhost:9000/s3/bucket/a%20b"],
    ["bucket", { endpoint: "https://r2.example.org", pathStyle: false }, "https://bucket.r2.example.org/a%20b"],
  ])("%s %o", (bucket, options, url) => {
    expect(createS3Store(bucket, options, {}).url("a b")).toBe(url);
  });

  test("a bucket in another region is followed there", async () => {
    const asked: string[] = [];
    const send: typeof fetch = async (input, init) => {
      const region = /\/([a-z0-9-]+)\/s3\/aws4_request/.exec(
        new Headers(init?.headers).get("authorization") ?? "",
      )?.[1];
      asked.push(`${new URL(String(input)).host} ${region}`);
      if (region === "eu-west-1") return new Response("<ListBucketResult/>");
      return new Response("", { status: 301, headers: { "x-amz-bucket-region": "eu-west-1" } });
    };
    const store = createS3Store("bucket", { credentials }, { fetch: send });
    for (let i = 0; i < 2; i++) for await (const page of store.list("")) expect(page.objects).toEqual([]);
    const there = "bucket.s3.eu-west-1.amazonaws.com eu-west-1";
    expect(asked).toEqual(["bucket.s3.us-east-1.amazonaws.com us-east-1", there, there]);
  });
});

describe("reading", () => {
  const NAMES = ["a b+c.h5ad", "50%25.h5ad", "ü/日本.h5ad", "it's (1)!*.h5ad", "q?x=1&y#z.h5ad", "a//b.h5ad"];

  test.each(NAMES)("a file called %s", async (name) => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251);
    const server = await s3Server({ [name]: bytes });
    const source = await fileIn(server, `s3://bucket/${name}`);
    expect(source).toMatchObject({ size: 200_000, name: `s3://bucket/${name}` });
    expect(Buffer.compare(await source.read(70_000, 190_000), bytes.subarray(70_000, 190_000))).toBe(0);
    for (const { headers } of server.requests)
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIA/);
  });

  test("a folder, whose list comes in pages", async () => {
    const keys = ["a", "b&c", "d/e", "d/f", "g", "h"].map((key) => [`x.zarr/${key}`, key]);
    const server = await s3Server(Object.fromEntries([...keys, ["x.zarr2/z", "z"], ["x.zarr/", ""]]));
    const source = await folderIn(server, "s3://bucket/x.zarr");
    expect((await source.list(""))?.sort()).toEqual(["a", "b&c", "d", "g", "h"]);
    expect((await source.list("d"))?.sort()).toEqual(["e", "f"]);
    expect(new TextDecoder().decode(await source.get("d/e"))).toBe("d/e");
    expect(await source.get("d/x")).toBeUndefined();
    expect(await source.size?.("b&c")).toBe(3);
  });

  test("a busy service is asked again", async () => {
    const server = await s3Server({ "x.h5ad": "content" });
    let busy = 2;
    server.intervene = (_, response) => busy-- > 0 && refuse(response, 503, "SlowDown");
    const source = await fileIn(server, "s3://bucket/x.h5ad");
    expect(source.size).toBe(7);
    expect(server.requests).toHaveLength(3);
  });

  test("an answer that is cut off is asked for again", async () => {
    const server = await s3Server({ "x.h5ad": new Uint8Array(100_000) });
    let cut = 1;
    server.intervene = (_, response) => {
      if (cut-- <= 0) return false;
      response.writeHead(206, { "content-range": "bytes 0-65535/100000", "content-length": "65536" });
      response.write(Buffer.alloc(10), () => response.destroy());
      return true;
    };
    expect((await fileIn(server, "s3://bucket/x.h5ad")).size).toBe(100_000);
  });

  test("an object that changes meanwhile is an error that says so", async () => {
    const server = await s3Server({ "x.h5ad": new Uint8Array(400_000) });
    const source = await fileIn(server, "s3://bucket/x.h5ad");
    server.objects.set("x.h5ad", Buffer.alloc(400_000, 1));
    await expect(source.read(100_000, 400_000)).rejects.toMatchObject({
      tag: "InvalidDataError",
      source: "s3://bucket/x.h5ad",
      problem: expect.stringMatching(/^the file changed while it was read: its ETag was "400000-0{16}", now/),
    });
  });

  test("nothing at the address", async () => {
    const server = await s3Server({ "y/x": "" });
    const absent = { tag: "NotFoundError", source: "s3://bucket/x" };
    await expect(openCloudSource("s3://bucket/x", at(server))).rejects.toMatchObject(absent);
    await expect(openCloudSource("s3://bucket/x/", at(server))).rejects.toMatchObject(absent);
    expect((await openCloudSource("s3://bucket/y", at(server))).kind).toBe("keys");
  });

  test("requester pays, session tokens", async () => {
    const server = await s3Server({ "x.h5ad": "content" });
    const own = { requesterPays: true, credentials: { ...credentials, sessionToken: "session" } };
    await openCloudSource("s3://bucket/x.h5ad", at(server, own));
    expect(server.requests[0].headers).toMatchObject({
      "x-amz-request-payer": "requester",
      "x-amz-security-token": "session",
    });
  });

  test("credentials that expire are asked for again, once for all requests", async () => {
    const server = await s3Server({ "x.h5ad": new Uint8Array(1_000_000) });
    let asked = 0;
    const ask = async () => ({
      ...credentials,
      expiration: new Date(Date.now() + 3_600_000),
      secretAccessKey: `${asked++}`,
    });
    const source = await openCloudSource("s3://bucket/x.h5ad", at(server, { credentials: ask }));
    if (source.kind !== "bytes") throw new Error("a file was expected");
    await Promise.all([source.read(100_000, 500_000), source.read(500_000, 1_000_000)]);
    expect(asked).toBe(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_500_000 });
    await source.read(100_000, 500_000);
    expect(asked).toBe(2);
    // Neither functions nor what they give can go to a worker.
    expect(source.plan).toBeUndefined();
  });

  test("anonymous requests are not signed", async () => {
    const server = await s3Server({ "x.h5ad": "content" });
    await openCloudSource("s3://bucket/x.h5ad", { anonymous: true, ...at(server) });
    expect(server.requests[0].headers.authorization).toBeUndefined();
  });

  test("refusals say why, and hold no secret", async () => {
    const server = await s3Server({ "x.h5ad": "content" });
    server.intervene = (_, response) => refuse(response, 403, "AccessDenied");
    const own = { credentials: { ...credentials, sessionToken: "TOKEN" } };
    const error: Error = await openCloudSource("s3://bucket/x.h5ad", at(server, own)).catch((refusal) => refusal);
    expect(error).toMatchObject({ tag: "UnsupportedError", source: "s3://bucket/x.h5ad" });
    expect(error.message).toContain(
      "no access to s3://bucket: AccessDenied (because); for public data try --anonymous",
    );
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/wJalr|TOKEN|AKIA|Signature=/);
  });

  test("a list that never ends is not trusted to", async () => {
    const server = await s3Server({});
    let page = 0;
    server.intervene = (_, response) => {
      xml(
        response,
        200,
        `<R><IsTruncated>true</IsTruncated><NextContinuationToken>${page++ && "same"}</NextContinuationToken></R>`,
      );
      return true;
    };
    const listing = async () => {
      for await (const { objects } of storeOf(server).list("")) expect(objects).toEqual([]);
    };
    await expect(listing()).rejects.toMatchObject({ tag: "InvalidDataError" });
  });
});

test("the store of an address knows the environment", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_S3", "http://localhost:1234");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  const store = await openCloudStore(parseAddress("s3://bucket/x"));
  vi.unstubAllEnvs();
  expect(store.url("x")).toBe("http://localhost:1234/bucket/x");
});

test("options that are undefined leave the defaults of the store", async () => {
  const sent: Headers[] = [];
  const send: typeof fetch = async (_, init) => {
    sent.push(new Headers(init?.headers));
    return new Response("");
  };
  const store = createS3Store("bucket", { region: undefined, credentials }, { attempts: undefined, fetch: send });
  await store.http.fetch?.(store.url("key"));
  expect(sent[0].get("authorization")).toContain("/us-east-1/s3/aws4_request");
  expect(store.http.attempts).toBe(8);
});
