/** The server of this library, opened by its client: the dataset is the one of the file. */

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Dataset } from "../../../../src/model/dataset.js";
import { plainValues } from "../../../../test/readers/tables/plain-values.js";
import { convert, open } from "../../../published/src/node.js";
import { connectFlight } from "../../src/flight/grpc-client.node.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { type RunningServer, serve } from "../../src/serve/serve.node.js";
import { BUILT } from "../serve/built-files.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-flight-"));
let server: RunningServer;
let file: Dataset;
let served: Dataset;

beforeAll(async () => {
  copyFileSync("examples/pbmc.h5ad", join(folder, "pbmc.h5ad"));
  server = await serve(
    folder,
    {
      port: 0,
      token: "a-token-that-is-long-enough",
      endpointBytes: 2 ** 16,
      log: () => undefined,
    },
    BUILT,
  );
  file = await open(join(folder, "pbmc.h5ad"));
  served = await open(`${server.location}/pbmc.h5ad`, { flight: { token: "a-token-that-is-long-enough" } });
});

afterAll(async () => {
  await served?.close();
  await file?.close();
  await server?.close(0);
  rmSync(folder, { recursive: true });
});

test("what it is, and which tables it has", () => {
  expect([served.format, served.version, served.shape]).toEqual([file.format, file.version, file.shape]);
  expect(served.container).toBe("flight");
  expect([...served.tables.keys()]).toEqual([...file.tables.keys()]);
  expect([...served.failures.keys()]).toEqual([...file.failures.keys()]);
  for (const [name, table] of file.tables) {
    const other = served.table(name);
    expect(String(other.schema), name).toBe(String(table.schema));
    expect(other.metadata, name).toEqual(table.metadata);
    expect([other.rows, other.derived, other.axis, other.layouts]).toEqual([
      table.rows,
      table.derived,
      table.axis,
      table.layouts,
    ]);
  }
});

test("a conversion has the options of the service", async () => {
  const output = join(folder, "obs.parquet");
  const options = { tables: ["obs"], flight: { token: "a-token-that-is-long-enough" } };
  const { tables } = await convert(`${server.location}/pbmc.h5ad`, output, options);
  expect(tables.map(({ name, rows }) => [name, rows])).toEqual([["obs", 2700]]);
});

test("all values of all tables", async () => {
  for (const [name, table] of file.tables) {
    expect(plainValues(await served.table(name).read()), name).toEqual(plainValues(await table.read()));
  }
});

test("rows, columns and layouts are chosen by the server", async () => {
  const options = { rows: [100, 2000], columns: ["value", "row"] } as const;
  expect(plainValues(await served.table("X").read(options))).toEqual(plainValues(await file.table("X").read(options)));
  const [list, other] = await Promise.all([served, file].map((dataset) => dataset.table("X").layout("list")));
  expect(list.layouts[0]).toBe("list");
  expect(plainValues(await list.read())).toEqual(plainValues(await other.read()));
  await expect(served.table("obs").read({ columns: ["none"] })).rejects.toMatchObject({ tag: "NotFoundError" });
});

test("one table by its path, and what is not there", async () => {
  const flight = { token: "a-token-that-is-long-enough" };
  const one = await open(`${server.location}/pbmc.h5ad/obs`, { flight });
  expect([...one.tables.keys()]).toEqual(["obs"]);
  expect((await one.table("obs").read()).numRows).toBe(file.table("obs").rows);
  await one.close();
  await expect(open(`${server.location}/none.h5ad`, { flight })).rejects.toMatchObject({ tag: "NotFoundError" });
  await expect(open(`${server.location}/pbmc.h5ad`)).rejects.toMatchObject({
    tag: "InvalidInputError",
    problem: expect.stringContaining("the options token and basic say who asks"),
  });
});

test("a flight that is polled is ready at once, and nothing is left to poll", async () => {
  const connection = await connectFlight(server.location, { token: "a-token-that-is-long-enough" });
  try {
    const descriptor = { kind: "path", path: ["pbmc.h5ad", "X"] } as const;
    const [poll, info] = await Promise.all([
      connection.unary(METHODS.pollFlightInfo, descriptor),
      connection.unary(METHODS.getFlightInfo, descriptor),
    ]);
    expect(poll.descriptor).toBeNull();
    expect(poll.progress).toBe(1);
    expect(poll.expirationTime).toEqual(poll.info?.endpoints[0].expirationTime);
    expect(poll.info?.totalRecords).toBe(file.table("X").rows);
    expect(poll.info?.endpoints.length).toBeGreaterThan(1);
    expect(poll.info?.endpoints.length).toBe(info.endpoints.length);
    expect(poll.info?.schema).toEqual(info.schema);
    expect(poll.info?.endpoints.map(({ appMetadata }) => appMetadata)).toEqual(
      info.endpoints.map(({ appMetadata }) => appMetadata),
    );
    const [endpoint] = poll.info?.endpoints ?? [];
    let messages = 0;
    for await (const _ of connection.stream(METHODS.doGet, endpoint.ticket)) messages++;
    expect(messages).toBeGreaterThan(1);
    await expect(
      connection.unary(METHODS.pollFlightInfo, { kind: "path", path: ["pbmc.h5ad", "none"] }),
    ).rejects.toMatchObject({ tag: "NotFoundError" });
    await expect(connection.unary(METHODS.pollFlightInfo, { kind: "unknown" })).rejects.toMatchObject({
      tag: "InvalidInputError",
    });
  } finally {
    connection.close();
  }
});
