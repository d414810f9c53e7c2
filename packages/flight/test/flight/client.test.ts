/** Datasets of Flight services: services of this process with endpoints that a test makes. */

import { setTimeout } from "node:timers/promises";
import { Int32, type RecordBatch, type Schema, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { afterEach, describe, expect, test } from "vitest";
import { open } from "../../../published/src/node.js";
import type { FlightEndpoint } from "../../src/flight/protocol/flight-info.js";
import type { FlightHandlers } from "../../src/flight/protocol/service.js";
import { CallError } from "../../src/flight/protocol/status.js";
import { dataOf, endpoint, flightInfo, service, text, ticketText } from "./service.js";

const close: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of close.splice(0).reverse()) await one();
});

/** Rows [start, end) with the number of each. */
function rows(start: number, end: number): RecordBatch {
  const range = numbers(start, end);
  const i = vectorFromArray(range, new Int32());
  const t = vectorFromArray(
    range.map((k) => `row ${k}`),
    new Utf8(),
  );
  return new Table({ i, t }).batches[0];
}

const SCHEMA: Schema = rows(0, 1).schema;
function numbers(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, k) => start + k);
}

async function numbersOf(batches: AsyncIterable<RecordBatch>): Promise<number[]> {
  const found: number[] = [];
  for await (const batch of batches) found.push(...(batch.getChild("i")?.toArray() ?? []));
  return found;
}

const LATER = () => new Date(Date.now() + 60_000);

/** A table whose endpoints are ranges of 100 rows, which come in batches of 30. */
async function ranged(
  count: number,
  more: {
    readonly endpoint?: (i: number) => Partial<FlightEndpoint>;
    readonly doGet?: (range: number, batch: number, attempt: number) => void | Promise<void>;
    readonly ended?: (range: number) => void;
    readonly info?: Parameters<typeof flightInfo>[2];
  } = {},
) {
  const attempts = new Map<string, number>();
  const asked: string[] = [];
  let atOnce = 0;
  let most = 0;
  const handlers: Partial<FlightHandlers> = {
    getFlightInfo: async () =>
      flightInfo(
        SCHEMA,
        numbers(0, count).map((i) => endpoint(String(i), more.endpoint?.(i))),
        { totalRecords: 100 * count, ...more.info },
      ),
    async *doGet(ticket) {
      const name = ticketText(ticket);
      const range = Number(name);
      const attempt = (attempts.get(name) ?? 0) + 1;
      attempts.set(name, attempt);
      asked.push(name);
      most = Math.max(most, ++atOnce);
      try {
        const batches = [0, 30, 60, 90].map((at) => rows(100 * range + at, 100 * range + Math.min(100, at + 30)));
        let sent = -1;
        for await (const data of dataOf(batches)) {
          if (sent >= 0) await more.doGet?.(range, sent, attempt);
          sent++;
          yield data;
        }
      } finally {
        atOnce--;
        more.ended?.(range);
      }
    },
  };
  const server = await service(handlers);
  close.push(() => server.close());
  const dataset = await open(`${server.uri}/table`);
  close.push(() => dataset.close());
  return { dataset, table: dataset.table("table"), asked, attempts, server, most: () => most };
}

describe("tables", () => {
  test("one by its name: its schema and rows are known before any is read", async () => {
    const { dataset, table, asked } = await ranged(3);
    expect([dataset.format, dataset.container, [...dataset.tables.keys()]]).toEqual(["tables", "flight", ["table"]]);
    expect(String(table.schema)).toBe(String(SCHEMA));
    expect([table.rows, table.metadata, table.layouts]).toEqual([300, { kind: "table" }, []]);
    expect(asked).toEqual([]);
    const read = await table.read();
    expect(read.numRows).toBe(300);
    expect(read.get(299)?.toJSON()).toEqual({ i: 299, t: "row 299" });
  });

  test("all that are listed, and those below a path", async () => {
    const paths = [["a"], ["folder", "b"], ["folder", "sub", "c"], ["folders"]];
    const server = await service({
      async *listFlights() {
        for (const path of paths) yield flightInfo(SCHEMA, [], { path });
        yield { ...flightInfo(SCHEMA, []), descriptor: { kind: "command", command: text("select 1") } };
        yield { ...flightInfo(SCHEMA, []), schema: text("no schema"), descriptor: { kind: "path", path: ["bad"] } };
      },
    });
    close.push(() => server.close());
    const all = await open(server.uri);
    expect([...all.tables.keys()]).toEqual(["a", "folder/b", "folder/sub/c", "folders", "select 1"]);
    expect(() => all.table("bad")).toThrow("bad: a message says");
    expect([...(await open(`${server.uri}/folder`)).tables.keys()]).toEqual(["b", "sub/c"]);
    await expect(open(`${server.uri}/none`)).rejects.toMatchObject({
      tag: "NotFoundError",
      problem: 'no flight "none"; there are a, folder/b, folder/sub/c, folders, select 1',
    });
  });

  test("a schema that the info does not have is asked for", async () => {
    const { schema, ...rest } = flightInfo(SCHEMA, [endpoint("t")]);
    const server = await service({
      getFlightInfo: async () => ({ ...rest, schema: new Uint8Array(0) }),
      getSchema: async () => ({ schema }),
      doGet: () => dataOf([rows(0, 5)]),
    });
    close.push(() => server.close());
    const dataset = await open(`${server.uri}/x`);
    expect(dataset.table("x").rows).toBeNull();
    expect(await numbersOf(dataset.table("x").batches())).toEqual(numbers(0, 5));
  });

  test("without endpoints there are no rows, but one batch", async () => {
    const { table } = await ranged(0);
    const read = await table.read({ columns: ["t"] });
    expect([read.numRows, read.batches.length, read.schema.names]).toEqual([0, 1, ["t"]]);
  });

  test.each<[string, string]>([
    ["grpc://127.0.0.1", "no host and port"],
    ["grpc://me:secret@h:1", "use the option basic"],
    ["grpc://h:1/a?b=c", "a query"],
    ["grpc+unix:///tmp/socket", "grpc+unix is no scheme that is read"],
  ])("%s is no service", async (uri, problem) => {
    await expect(open(uri)).rejects.toThrow(problem);
  });
});

describe("endpoints", () => {
  test("are read at the same time, and given in their order", async () => {
    const delays = [120, 0, 60, 0, 30, 0];
    const { table, most } = await ranged(6, { doGet: (range) => setTimeout(delays[range]) });
    expect(await numbersOf(table.batches())).toEqual(numbers(0, 600));
    expect(most()).toBe(4);
  });

  test("are given as they come where they have no order", async () => {
    let others = 2;
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { table } = await ranged(3, {
      info: { ordered: false },
      doGet: (range) => (range === 0 ? held : undefined),
      ended: (range) => {
        if (range > 0 && --others === 0) goOn();
      },
    });
    const found = await numbersOf(table.batches());
    // The first endpoint waits for the end of the others: in order, nothing would come.
    expect(found[0]).toBeGreaterThanOrEqual(100);
    expect(found.toSorted((a, b) => a - b)).toEqual(numbers(0, 300));
  });

  test("rows and columns, also of endpoints that begin before them", async () => {
    const { table, asked } = await ranged(4);
    for (const [start, end] of [
      [0, 1],
      [95, 105],
      [130, 290],
      [399, 400],
      [250, 250],
    ] as const) {
      expect(await numbersOf(table.batches({ rows: [start, end] }))).toEqual(numbers(start, end));
    }
    asked.length = 0;
    await numbersOf(table.batches({ rows: [10, 20] }));
    expect(asked).toEqual(["0"]);
    const some = await table.read({ rows: [98, 102], columns: ["t", "i"] });
    expect(some.schema.names).toEqual(["t", "i"]);
    expect(some.getChild("t")?.toJSON()).toEqual(["row 98", "row 99", "row 100", "row 101"]);
    await expect(table.read({ rows: [0, 401] })).rejects.toThrow("rows [0, 401) were asked for, there are 400");
    await expect(table.read({ columns: ["x"] })).rejects.toMatchObject({ tag: "NotFoundError", element: "table" });
    const chosen = table.read({ where: { row: [1] } });
    await expect(chosen).rejects.toMatchObject({
      tag: "InvalidInputError",
      message: expect.stringMatching(/where.*select/),
    });
  });

  test("batches of no more bytes than asked for", async () => {
    const { table } = await ranged(1);
    const sizes: number[] = [];
    for await (const batch of table.batches({ batchBytes: 200 })) sizes.push(batch.numRows);
    expect(Math.max(...sizes)).toBeLessThan(15);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100);
  });

  test("leaving early, and a signal, end all streams", async () => {
    const { table, most } = await ranged(4, { doGet: (_, batch) => (batch > 1 ? setTimeout(20_000) : undefined) });
    for await (const _ of table.batches()) break;
    const controller = new AbortController();
    const reading = numbersOf(table.batches({ signal: controller.signal }));
    await setTimeout(100);
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    expect(most()).toBeLessThanOrEqual(8);
  });

  test("fewer or more rows than the service said", async () => {
    const { table } = await ranged(2, { info: { totalRecords: 201 } });
    await expect(table.read()).rejects.toMatchObject({
      tag: "InvalidDataError",
      element: "table",
      problem: "the service said 201 rows, 200 have come",
    });
  });

  test("a stream of other columns", async () => {
    const server = await service({
      getFlightInfo: async () => flightInfo(SCHEMA, [endpoint("t")]),
      doGet: () => dataOf(tableFromArrays({ other: [1, 2] }).batches),
    });
    close.push(() => server.close());
    const dataset = await open(`${server.uri}/x`);
    await expect(dataset.table("x").read()).rejects.toThrow(
      "the stream has the columns (other: Float64), its table (i: ",
    );
  });
});

describe("endpoints that fail", () => {
  const failing = (status: ConstructorParameters<typeof CallError>[0], until = 1) => ({
    doGet: (range: number, batch: number, attempt: number) => {
      if (range === 1 && batch === 2 && attempt <= until) throw new CallError(status, "for a moment");
    },
  });

  test("are read again from where they were, until they expire", async () => {
    const { table, attempts } = await ranged(3, {
      ...failing("UNAVAILABLE", 2),
      endpoint: () => ({ expirationTime: LATER() }),
    });
    expect(await numbersOf(table.batches())).toEqual(numbers(0, 300));
    expect(attempts.get("1")).toBe(3);
  });

  test("not more than three times", async () => {
    const { table, attempts } = await ranged(3, {
      ...failing("UNAVAILABLE", 9),
      endpoint: () => ({ expirationTime: LATER() }),
    });
    await expect(table.read()).rejects.toThrow("for a moment");
    expect(attempts.get("1")).toBe(3);
  });

  test.each<[string, Partial<FlightEndpoint>, ConstructorParameters<typeof CallError>[0]]>([
    ["tickets that are taken once", {}, "UNAVAILABLE"],
    ["tickets that have expired", { expirationTime: new Date(0) }, "UNAVAILABLE"],
    ["errors that stay", { expirationTime: LATER() }, "NOT_FOUND"],
  ])("are not read again: %s", async (_, more, status) => {
    const { table, attempts } = await ranged(3, { ...failing(status), endpoint: () => more });
    await expect(table.read()).rejects.toThrow("for a moment");
    expect(attempts.get("1")).toBe(1);
  });

  test("are asked for at their other locations", async () => {
    const other = await ranged(2);
    const locations = [{ uri: "grpc://127.0.0.1:1" }, { uri: other.server.uri.replace("127.0.0.1", "localhost") }];
    const { table, asked } = await ranged(2, { endpoint: () => ({ locations }) });
    expect(await numbersOf(table.batches())).toEqual(numbers(0, 200));
    expect([asked, other.asked.toSorted()]).toEqual([[], ["0", "1"]]);
  });

  test("are not looked for where nobody was allowed", async () => {
    const locations = [{ uri: "grpc://elsewhere.example:1" }];
    const { table } = await ranged(1, { endpoint: () => ({ locations }) });
    await expect(table.read()).rejects.toMatchObject({
      tag: "InvalidInputError",
      problem: expect.stringContaining("the rows lie on another host, elsewhere.example: name it in the option hosts"),
    });
    const reuse = [{ uri: "arrow-flight-reuse-connection://?" }];
    const same = await ranged(1, { endpoint: () => ({ locations: reuse }) });
    expect(await numbersOf(same.table.batches())).toEqual(numbers(0, 100));
    const http = await ranged(1, { endpoint: () => ({ locations: [{ uri: "https://elsewhere.example/x" }] }) });
    await expect(http.table.read()).rejects.toMatchObject({ tag: "UnsupportedError" });
  });
});
