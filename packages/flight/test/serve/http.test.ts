import { appendFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createConnection } from "node:net";
import { join } from "node:path";
import { makeVector, Table, tableFromIPC, tableToIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { open, write } from "../../../published/src/node.js";
import { type Served, served } from "./served.js";

let here: Served;
beforeAll(async () => {
  await ensureBuilt();
  here = await served({ cors: "https://example.org" });
}, 120_000);
afterAll(() => here.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(here.http + path, { headers });

/** As `get`, with a path that no client library would send. */
function raw(path: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(here.http);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("tables", () => {
  test("as an Arrow stream, equal to the table that is read from the file", async () => {
    const response = await get("/pbmc.h5ad/obs");
    expect(response.headers.get("content-type")).toBe("application/vnd.apache.arrow.stream");
    const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
    const data = await open(join(here.folder, "pbmc.h5ad"));
    const expected = await data.table("obs").read();
    expect(table.schema.metadata).toEqual(expected.schema.metadata);
    expect(table.toArray().map(String)).toEqual(expected.toArray().map(String));
    await data.close();
  });

  test("some columns of some rows, of a nested name", async () => {
    const response = await get("/sub/pbmc.zarr.zip/layers/counts?columns=value,row&rows=10-15");
    const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
    const data = await open(join(here.folder, "sub", "pbmc.zarr.zip"));
    const expected = await data.table("layers/counts").read({ rows: [10, 15], columns: ["value", "row"] });
    expect(table.schema.fields.map((field) => field.name)).toEqual(["value", "row"]);
    expect(table.toArray().map(String)).toEqual(expected.toArray().map(String));
    await data.close();
  });

  test("another layout", async () => {
    const response = await get("/pbmc.h5ad/X?layout=list&rows=0-3");
    const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
    expect(table.numRows).toBe(3);
    expect(table.schema.fields).toHaveLength(1);
  });

  test("as CSV and JSON lines", async () => {
    const csv = await get("/pbmc.h5ad/obs?rows=0-1&columns=_index,cell_type", { accept: "text/csv" });
    expect(await csv.text()).toBe("_index,cell_type\nTTGCGACTTTCGTT-1,CD4 T cell\n");
    const json = await get("/pbmc.h5ad/obs?rows=0-1&columns=cell_type", {
      accept: "text/html;q=0.9, application/x-ndjson;q=0.5, */*;q=0.1",
    });
    expect(json.headers.get("content-type")).toBe("application/x-ndjson");
    expect(await json.text()).toBe('{"cell_type":"CD4 T cell"}\n');
  });

  test("rows beyond the end are those that there are, from beyond it none", async () => {
    const some = await get("/pbmc.h5ad/obs?rows=2699-5000&format=csv&columns=n_genes");
    expect((await some.text()).trim().split("\n")).toHaveLength(2);
    expect((await get("/pbmc.h5ad/obs?rows=2701-5000")).status).toBe(416);
    const none = await get("/pbmc.h5ad/obs?rows=5-5");
    expect(tableFromIPC(new Uint8Array(await none.arrayBuffer())).numRows).toBe(0);
  });

  test("HEAD says what GET would, without rows", async () => {
    const response = await fetch(`${here.http}/pbmc.h5ad/obs`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/vnd.apache.arrow.stream");
    expect(await response.text()).toBe("");
  });

  test("HEAD is refused where GET would be", async () => {
    const path = "/pbmc.h5ad/obsm/X_pca?format=csv";
    const [head, whole] = [await fetch(here.http + path, { method: "HEAD" }), await get(path)];
    expect([head.status, whole.status]).toEqual([400, 400]);
  });

  test("a tag, which changes with the file, the request and the form", async () => {
    const first = await get("/pbmc.h5ad/obs?rows=0-1");
    const etag = first.headers.get("etag") ?? "";
    await first.arrayBuffer();
    expect((await get("/pbmc.h5ad/obs?rows=0-1", { "if-none-match": etag })).status).toBe(304);
    const others = [
      await get("/pbmc.h5ad/obs?rows=0-2", { "if-none-match": etag }),
      await get("/pbmc.h5ad/obs?rows=0-1&format=csv", { "if-none-match": etag }),
    ];
    for (const other of others) await other.arrayBuffer();
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    const copy = join(here.folder, "changing.h5ad");
    cpSync("examples/pbmc.h5ad", copy);
    const before = await get("/changing.h5ad/obs?rows=0-1");
    await before.arrayBuffer();
    appendFileSync(copy, "x");
    const after = await get("/changing.h5ad/obs?rows=0-1", { "if-none-match": before.headers.get("etag") ?? "" });
    await after.arrayBuffer();
    expect(after.status).toBe(200);
    rmSync(copy);
  });

  test("no tag for what may change without one: a folder, an object that may point at other files, a statement", async () => {
    const store = join(here.folder, "store.zarr");
    const written = await open("examples/pbmc.h5ad");
    await write(store, { obs: await written.table("obs").read(), var: await written.table("var").read() });
    await written.close();
    cpSync("test/fixtures/data/bpcells-rds/fragments-packed.rds", join(here.folder, "object.rds"));
    for (const path of [
      "/object.rds",
      "/store.zarr",
      "/store.zarr/obs?rows=0-1",
      `/pbmc.h5ad?sql=${encodeURIComponent("select random()")}`,
    ]) {
      const response = await get(path, { "if-none-match": "*" });
      await response.arrayBuffer();
      expect([path, response.status, response.headers.get("etag"), response.headers.get("cache-control")]).toEqual([
        path,
        200,
        null,
        "no-cache",
      ]);
    }
    rmSync(store, { recursive: true });
    rmSync(join(here.folder, "object.rds"));
  });

  test("a client that has the rows already is told so, and of what they depend on", async () => {
    const response = await get("/pbmc.h5ad/obs?rows=0-1", { "if-none-match": "*" });
    expect([response.status, response.headers.get("vary")]).toEqual([304, "origin, accept"]);
  });

  test("a form that is named twice is refused", async () => {
    const response = await get("/pbmc.h5ad/obs?format=csv&format=json");
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "invalid", message: "format is given 2 times" },
    ]);
  });
});

describe("what there is", () => {
  test("all datasets, without hidden files, companions, links out, and what is no file of data", async () => {
    expect(await (await get("/")).json()).toEqual({
      datasets: ["broken.h5ad", "linked.h5ad", "pbmc.h5ad", "sub/pbmc.zarr.zip"],
    });
    expect(await (await get("/sub/")).json()).toEqual({ datasets: ["sub/pbmc.zarr.zip"] });
  });

  test("a dataset", async () => {
    const description = await (await get("/pbmc.h5ad")).json();
    expect(description).toMatchObject({ name: "pbmc.h5ad", format: "anndata", shape: [2700, 800], failures: [] });
    const obs = description.tables.find((table: { name: string }) => table.name === "obs");
    expect(obs).toMatchObject({ kind: "dataframe", rows: 2700, axis: "row" });
    expect(JSON.stringify(description)).not.toContain(here.folder);
  });

  test("health and metrics", async () => {
    expect(await (await get("/healthz")).json()).toMatchObject({ status: "serving" });
    const text = await (await get("/metrics")).text();
    expect(text).toMatch(/^annarrow_requests_total\{protocol="http",method="GET",status="200"\} \d+$/m);
    for (const line of text.trim().split("\n"))
      expect(line).toMatch(/^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{.*\})? [\d.e+]+)$/);
  });

  test.each([
    [{ host: "0.0.0.0" }, true],
    [{ host: "127.0.0.1" }, false],
    [{ host: "0.0.0.0", readOnly: true }, false],
    [{ host: "0.0.0.0", token: "secret" }, false],
  ])("a line of the log where other machines may write: %o", async (options, isTold) => {
    const other = await served(options);
    await other.close();
    const told = other.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
    expect(told.map(({ event }) => event)).toEqual(isTold ? ["open to writers"] : []);
  });

  test("a line of the log for each request", async () => {
    const before = here.lines.length;
    await (await get("/healthz")).text();
    await expect.poll(() => here.lines.length).toBeGreaterThan(before);
    expect(JSON.parse(here.lines.at(-1) ?? "")).toMatchObject({ level: "info", protocol: "http", status: 200 });
  });
});

describe("statements", () => {
  test("run in DuckDB over the tables of a dataset", async () => {
    const sql = encodeURIComponent("select count(*) as n, sum(n_genes) as genes from obs");
    const response = await get(`/pbmc.h5ad?sql=${sql}&format=json`);
    const data = await open(join(here.folder, "pbmc.h5ad"));
    const obs = await data.table("obs").read({ columns: ["n_genes"] });
    let genes = 0;
    for (const { n_genes } of obs) genes += n_genes;
    const answer = await response.json();
    expect([answer.n, Number(answer.genes)]).toEqual([2700, genes]);
    await data.close();
  }, 120_000);

  test("reach no file, and nothing of the configuration", async () => {
    for (const [sql, status, message] of [
      ["select * from read_text('/etc/hostname')", 400, /disabled by configuration/],
      ["copy (select 1) to '/tmp/annarrow-must-not-be.csv'", 403, /^COPY is refused/],
      ["set enable_external_access = true", 403, /^SET is refused/],
    ] as const) {
      const response = await get(`/pbmc.h5ad?sql=${encodeURIComponent(sql)}`);
      expect(response.status).toBe(status);
      expect((await response.json()).message).toMatch(message);
    }
  }, 240_000);
});

describe("bad requests", () => {
  test.each([
    ["/nosuch.h5ad/obs", 404, /nothing is served/],
    ["/pbmc.h5ad/obsx", 404, /did you mean obs/],
    ["/pbmc.h5ad/obs?columns=nosuch", 404, /no column "nosuch"/],
    ["/pbmc.h5ad/obs?rows=5", 400, /two numbers/],
    ["/pbmc.h5ad/obs?rows=5-2", 400, /before they start/],
    ["/pbmc.h5ad/obs?rows=0-1&rows=1-2", 400, /given 2 times/],
    ["/pbmc.h5ad/obs?colums=a", 400, /no parameter "colums"/],
    ["/pbmc.h5ad/obs?layout=wide", 400, /layout must be one of/],
    ["/pbmc.h5ad/obs?layout=list", 400, /no layout/],
    ["/pbmc.h5ad/obs?format=xml", 400, /arrow, csv or json/],
    ["/pbmc.h5ad/obs/", 404, /nothing is served/],
    ["/../outside/secret.h5ad/obs", 400, /no name that is served/],
    ["/%2e%2e/outside/secret.h5ad/obs", 400, /no name that is served/],
    ["/..%2foutside%2fsecret.h5ad", 400, /no name that is served/],
    ["/pbmc.h5ad%00/obs", 400, /no name that is served/],
    ["/.hidden.h5ad/obs", 400, /no name that is served/],
    ["/pbmc.h5ad.annarrow/obs", 400, /no name that is served/],
    ["/out.h5ad/obs", 403, /leads out/],
    ["/out/secret.h5ad/obs", 403, /leads out/],
    ["/%ff", 400, /no UTF-8/],
    ["/broken.h5ad/obs", 501, /neither HDF5/],
    ["/pbmc.h5ad/obs?sql=select%201", 404, /nothing is served/],
    ["/pbmc.h5ad?sql=select%201&rows=0-1", 400, /either sql or rows/],
    ["/pbmc.h5ad?sql=select%201&column=a", 400, /either sql or columns/],
    ["/pbmc.h5ad?format=csv", 400, /"format" is asked of a table; pbmc.h5ad is none/],
    ["/?rows=0-1", 400, /"rows" is asked of a table; \/ is none/],
    ["/sub/?sql=select%201", 400, /"sql" is asked of a table; sub\/ is none/],
  ])("%s is %i", async (path, status, message) => {
    const response = await raw(path);
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body).message).toMatch(message);
    expect(response.body).not.toContain(here.folder);
  });

  test("nothing but GET, HEAD and OPTIONS", async () => {
    const response = await fetch(`${here.http}/pbmc.h5ad/obs`, { method: "POST", body: "x" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });

  test("a form that there is not", async () => {
    expect((await get("/pbmc.h5ad/obs", { accept: "image/png" })).status).toBe(406);
  });

  test("a client that leaves in the middle", async () => {
    const { hostname, port } = new URL(here.http);
    // The buffers of the two sockets take some MB: with a smaller table the server may be done before the client leaves.
    const large = join(here.folder, "large.arrow");
    writeFileSync(large, tableToIPC(new Table({ value: makeVector(new Float64Array(2 ** 22)) }), "file"));
    const { tables } = await (await get("/large.arrow")).json();
    const path = `large.arrow/${tables[0].name}`;
    await new Promise<void>((resolve) => {
      const socket = createConnection(Number(port), hostname, () => {
        socket.write(`GET /${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
        socket.once("data", () => socket.destroy());
      });
      socket.on("close", () => resolve());
    });
    expect((await get("/healthz")).status).toBe(200);
    // A client that leaves is no error of the server.
    const entry = () =>
      here.lines.map((line) => JSON.parse(line)).find(({ message }) => message === "the request was cancelled");
    await expect.poll(entry, { timeout: 20_000 }).toMatchObject({ level: "info", path });
    expect(here.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    rmSync(large);
  }, 60_000);
});

describe("pages of other origins", () => {
  test("are let in where they are named", async () => {
    const named = await get("/healthz", { origin: "https://example.org" });
    expect(named.headers.get("access-control-allow-origin")).toBe("https://example.org");
    const other = await get("/healthz", { origin: "https://example.com" });
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    const asked = await fetch(`${here.http}/pbmc.h5ad/obs`, {
      method: "OPTIONS",
      headers: { origin: "https://example.org" },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toContain("authorization");
  });
});

test("who lacks the token is not let in, but to ask whether the server is there", async () => {
  const locked = await served({ token: "secret" });
  const given: readonly Record<string, string>[] = [
    {},
    { authorization: "Bearer wrong" },
    { authorization: "Bearer secret" },
    { authorization: `Basic ${btoa("me:secret")}` },
  ];
  const statuses = await Promise.all(
    given.map(async (headers) => (await fetch(`${locked.http}/pbmc.h5ad`, { headers })).status),
  );
  expect(statuses).toEqual([401, 401, 200, 200]);
  expect((await fetch(`${locked.http}/healthz`)).status).toBe(200);
  expect(locked.lines.join("")).not.toContain("secret");
  await locked.close();
});

test("a thousand small requests at once", async () => {
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async (_, i) => (await get(`/pbmc.h5ad/obs?rows=${i}-${i + 1}&format=csv`)).text()),
  );
  expect(answers.filter((text) => text.split("\n").length !== 3)).toEqual([]);
  expect(new Set(answers).size).toBe(1000);
}, 120_000);
