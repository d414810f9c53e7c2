/** Outputs in an object store, against a small server that can be told to fail. Real servers: packages/cloud/test/servers.test.ts. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { write } from "../../../src/api/write.node.js";
import { ensureBuilt } from "../../../test/build.js";
import { open, split } from "../../published/src/node.js";
import { refuse, type S3Server, s3Server } from "./s3-server.js";

const credentials = { accessKeyId: "testing", secretAccessKey: "testing" };
const PBMC = resolve("examples/pbmc.h5ad");
const TABLES = { obs: { n: Int32Array.of(1, 2, 3) }, var: { m: Int32Array.of(4, 5) } };

let temporary: string;
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "annarrow-cloud-output-"));
});
beforeEach(() => void vi.stubEnv("TMPDIR", temporary));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

const at = (server: S3Server) => ({ cloud: { s3: { endpoint: server.endpoint, credentials, region: "us-east-1" } } });
const keysOf = ({ objects }: S3Server) => [...objects.keys()].sort();

/** What an output must not leave behind. */
function expectNothing(server: S3Server, keys: readonly string[] = []): void {
  expect(keysOf(server)).toEqual(keys);
  expect([...server.uploads]).toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);
  expect(existsSync("s3:")).toBe(false);
}

describe("a file", () => {
  test("appears, is refused where it exists, and is replaced", async () => {
    const server = await s3Server({ "x.h5ad.bak": "" });
    await write("s3://bucket/x.h5ad", TABLES, at(server));
    expectNothing(server, ["x.h5ad", "x.h5ad.bak"]);
    const first = server.objects.get("x.h5ad");
    const more = { ...TABLES, obs: { n: Int32Array.of(7, 8, 9, 10) } };
    await expect(write("s3://bucket/x.h5ad", more, at(server))).rejects.toMatchObject({
      ...{ tag: "InvalidInputError", source: "s3://bucket/x.h5ad" },
      message: expect.stringContaining("exists already"),
    });
    expect(server.objects.get("x.h5ad")).toBe(first);
    await write("s3://bucket/x.h5ad", more, { ...at(server), overwrite: true });
    const data = await open("s3://bucket/x.h5ad", at(server));
    expect(data.shape).toEqual([4, 2]);
    await data.close();
    expectNothing(server, ["x.h5ad", "x.h5ad.bak"]);
  });

  test("that somebody else writes meanwhile is refused", async () => {
    const server = await s3Server();
    server.intervene = ({ method, key }) => {
      if (method === "PUT") server.objects.set(key, Buffer.from("theirs"));
      return false;
    };
    await expect(write("s3://bucket/x.h5ad", TABLES, at(server))).rejects.toMatchObject({
      message: expect.stringContaining("exists already"),
    });
    expect(server.objects.get("x.h5ad")?.toString()).toBe("theirs");
  });

  test.each(["PUT", "POST"])("whose upload fails at a %s leaves nothing", async (method) => {
    const server = await s3Server();
    server.intervene = (request, response) =>
      request.method === method && request.query.has("uploadId") && refuse(response, 400, "because");
    // Random values, so that the file has more than one part.
    const value = new Float64Array(3 << 19).map(() => Math.random());
    const tables = { obs: { value }, var: TABLES.var };
    await expect(write("s3://bucket/x.h5ad", tables, { ...at(server), compression: "none" })).rejects.toThrow(
      "because",
    );
    expect(server.requests.some(({ query }) => query.has("uploads"))).toBe(true);
    expectNothing(server);
  });
});

describe("a folder", () => {
  test("gets last what it opens by, and gives up its old objects", async () => {
    const server = await s3Server({ "x.zarr2/zarr.json": "another" });
    await write("s3://bucket/x.zarr", TABLES, at(server));
    const put = server.requests.filter(({ method }) => method === "PUT").map(({ key }) => key);
    const root = ["x.zarr/.zgroup", "x.zarr/.zattrs", "x.zarr/.zmetadata"];
    expect(put.slice(-3)).toEqual(root);
    await expect(write("s3://bucket/x.zarr", TABLES, at(server))).rejects.toThrow("exists already");
    await write(
      "s3://bucket/x.zarr/",
      { obs: TABLES.obs },
      { ...at(server), overwrite: true, zarrFormat: 3, shape: [3, 0] },
    );
    expect(keysOf(server)).not.toContain("x.zarr/.zgroup");
    expect(keysOf(server)).toContain("x.zarr2/zarr.json");
    const data = await open("s3://bucket/x.zarr", at(server));
    expect(data.shape).toEqual([3, 0]);
    expectNothing(server, keysOf(server));
  });

  test("with foreign objects is not replaced", async () => {
    const server = await s3Server({ "x.zarr/.zgroup": "{}", "x.zarr/notes/mine.txt": "mine" });
    await expect(write("s3://bucket/x.zarr", TABLES, { ...at(server), overwrite: true })).rejects.toMatchObject({
      message: expect.stringContaining('"notes/mine.txt"'),
    });
    expectNothing(server, ["x.zarr/.zgroup", "x.zarr/notes/mine.txt"]);
  });

  test("whose upload fails leaves nothing, not even of what it was to replace", async () => {
    const server = await s3Server();
    await write("s3://bucket/x.zarr", TABLES, at(server));
    const before = keysOf(server);
    let count = 0;
    server.intervene = ({ method }, response) => method === "PUT" && ++count > 3 && refuse(response, 400, "because");
    await expect(write("s3://bucket/y.zarr", TABLES, at(server))).rejects.toThrow("because");
    expectNothing(server, before);
    await expect(write("s3://bucket/x.zarr", TABLES, { ...at(server), overwrite: true })).rejects.toThrow("because");
    expectNothing(server);
  });

  test("of parts, interrupted", async () => {
    const server = await s3Server();
    const data = await open(PBMC);
    const controller = new AbortController();
    server.intervene = ({ method }) => {
      if (method === "PUT") controller.abort();
      return false;
    };
    const options = { ...at(server), by: "cell_type", tables: ["obs", "var"], signal: controller.signal };
    await expect(split(data, "s3://bucket/parts", options)).rejects.toThrow(/abort/i);
    expectNothing(server);
    server.intervene = () => false;
    const { parts } = await split(data, "s3://bucket/parts", {
      ...at(server),
      by: "cell_type",
      tables: ["obs", "var"],
    });
    expectNothing(server, [...parts.map(({ file }) => `parts/${file}`), "parts/split.json"].sort());
    await data.close();
  });

  test("of a store, interrupted while a service stores its root", async () => {
    const server = await s3Server();
    const controller = new AbortController();
    const stored = new Promise<void>((resolve) => {
      server.intervene = ({ method, key, body }, response) => {
        if (method !== "PUT" || key !== "x.zarr/.zgroup") return false;
        // The service has the whole request, and stores the object although nobody waits for its answer any more.
        controller.abort();
        setTimeout(() => {
          server.objects.set(key, body);
          response.writeHead(200, { etag: '"late"' }).end();
          resolve();
        }, 200);
        return true;
      };
    });
    const options = { ...at(server), signal: controller.signal };
    await expect(write("s3://bucket/x.zarr", TABLES, options)).rejects.toThrow(/abort/i);
    await stored;
    expectNothing(server);
  });
});

describe("the command line", () => {
  beforeAll(ensureBuilt, 120_000);

  function annarrow(server: S3Server, ...args: string[]) {
    const env = {
      ...process.env,
      ...{ AWS_ACCESS_KEY_ID: "testing", AWS_SECRET_ACCESS_KEY: "testing", AWS_ENDPOINT_URL_S3: server.endpoint },
      ...{ TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: "1" },
    };
    return spawn(process.execPath, [resolve("dist/cli/main.js"), ...args], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
  }

  async function ended(process: ReturnType<typeof annarrow>): Promise<{ code: number; stderr: string }> {
    const stderr: Buffer[] = [];
    process.stderr?.on("data", (bytes: Buffer) => stderr.push(bytes));
    const [code] = await once(process, "close");
    return { code, stderr: Buffer.concat(stderr).toString() };
  }

  test("removes what it has put where Ctrl-C interrupts it", { timeout: 60_000 }, async () => {
    const server = await s3Server();
    const command = annarrow(server, "convert", PBMC, "s3://bucket/x.zarr");
    let count = 0;
    // Objects are put until the sixth one, whose answer comes late.
    server.intervene = ({ method }) => {
      if (method === "PUT" && ++count === 6) command.kill("SIGINT");
      return method === "PUT" && count >= 6;
    };
    expect(await ended(command)).toMatchObject({ code: 130 });
    expect(server.requests.some(({ method }) => method === "DELETE")).toBe(true);
    expectNothing(server);
  });

  test("writes several outputs into a folder, and none over its input", { timeout: 60_000 }, async () => {
    const server = await s3Server();
    const wanted = ["--to", "zarr", "--elements", "obs,var", "--jobs", "1"];
    expect(await ended(annarrow(server, "convert", PBMC, "s3://bucket/all/", ...wanted))).toMatchObject({ code: 0 });
    expect(keysOf(server)).toContain("all/pbmc.zarr/.zgroup");
    const part = [
      "convert",
      "s3://bucket/all/pbmc.zarr",
      "s3://bucket/all/pbmc.zarr/",
      "--overwrite",
      "--table",
      "obs",
    ];
    const refused = await ended(annarrow(server, ...part));
    expect(refused.stderr).toContain("s3://bucket/all/pbmc.zarr/: is the input s3://bucket/all/pbmc.zarr");
    const inside = await ended(
      annarrow(server, "convert", "s3://bucket/all/pbmc.zarr", "s3://bucket/all/pbmc.zarr/x.h5ad"),
    );
    expect(inside.stderr).toContain("lies in the input");
    expect(inside.code).toBe(1);
  });
});

test.each([
  ["hf://datasets/owner/name/x.zarr", "UnsupportedError"],
  ["https://host/x.zarr?key=secret", "UnsupportedError"],
  ["s3://bucket/", "InvalidInputError"],
])("nothing is written to %s", async (output, tag) => {
  const error = await write(output, TABLES, { format: "zarr" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ tag });
  expect(String(error)).not.toContain("secret");
  expect(existsSync("https:")).toBe(false);
});
