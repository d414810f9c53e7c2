import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NotFoundError } from "../../../../src/model/errors.js";
import { computeEndpointRanges } from "../../src/serve/answers/flight-info.js";
import { Folders } from "../../src/serve/datasets/folders.node.js";
import { pickResponseForm } from "../../src/serve/http/media-types.js";
import { RequestError, toFailure } from "../../src/serve/requests/failure.js";
import { parseCommand } from "../../src/serve/requests/request.js";
import { RequestLimit } from "../../src/serve/requests/request-limit.js";
import { RunningStreams } from "../../src/serve/requests/running-streams.js";
import { Tickets } from "../../src/serve/requests/tickets.node.js";
import { Access } from "../../src/serve/requests/tokens.node.js";

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

describe("commands", () => {
  test.each([
    [
      { dataset: "a.h5ad", table: "X" },
      { kind: "table", path: ["a.h5ad"], table: "X" },
    ],
    [{ table: "a.h5ad/X" }, { kind: "table", path: ["a.h5ad/X"] }],
    [
      { dataset: "a.h5ad", table: "X", columns: ["row"], rows: [0, 10], layout: "list" },
      { kind: "table", path: ["a.h5ad"], table: "X", columns: ["row"], rows: [0, 10], layout: "list" },
    ],
    [
      { dataset: "a.h5ad", sql: "select 1" },
      { kind: "sql", path: ["a.h5ad"], sql: "select 1" },
    ],
    [
      { sql: "select 1", upload: "mine" },
      { kind: "sql", path: [], sql: "select 1", upload: "mine" },
    ],
  ])("%j", (command, request) => {
    expect(parseCommand(bytes(command))).toEqual(request);
  });

  test.each([
    ["", /no JSON/],
    ["[]", /no JSON object/],
    ["null", /no JSON object/],
    ["{}", /table must be text/],
    [{ dataset: "a" }, /table must be text/],
    [{ dataset: "a", table: 1 }, /table must be text/],
    [{ dataset: "a", table: "" }, /table is empty/],
    [{ dataset: "a", table: "b", other: 1 }, /the command has "other"/],
    [{ dataset: "a", table: "b", rows: [0] }, /rows must be \[start, end\]/],
    [{ dataset: "a", table: "b", rows: [-1, 2] }, /whole numbers/],
    [{ dataset: "a", table: "b", rows: [0, 1.5] }, /whole numbers/],
    [{ dataset: "a", table: "b", rows: [3, 2] }, /before they start/],
    [{ dataset: "a", table: "b", columns: [] }, /columns is empty/],
    [{ dataset: "a", table: "b", columns: [1] }, /must be text/],
    [{ dataset: "a", table: "b", layout: "x" }, /layout must be one of/],
    [{ dataset: "a", sql: "select 1", table: "b" }, /either sql or table/],
    [{ dataset: "a", sql: "select 1", columns: ["b"] }, /either sql or columns/],
    [{ dataset: "a", sql: "select 1", rows: [0, 1] }, /either sql or rows/],
    [{ dataset: "a", sql: "select 1", layout: "list" }, /either sql or layout/],
    ['{"dataset": "a", "table": "b", "__proto__": {}}', /the command has "__proto__"/],
    [{ sql: "select 1", dataset: 1 }, /dataset must be text/],
    [{ dataset: "a", table: "b", upload: "c" }, /upload is the name/],
    ['{"dataset": "\\ud800", "table": "b"}', /no well-formed text/],
  ])("%j is refused", (command, message) => {
    expect(() => parseCommand(bytes(command))).toThrow(message);
  });

  test("any bytes are a request or a refusal", () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(bytes)), (command) => {
        try {
          expect(["table", "sql"]).toContain(parseCommand(command).kind);
        } catch (error) {
          expect(error).toBeInstanceOf(RequestError);
        }
      }),
    );
  });
});

describe("tickets", () => {
  const tickets = new Tickets();
  const ticket = { request: { kind: "table", path: ["sub/a.h5ad", "X"], rows: [5, 9] }, identity: "1,2,3" } as const;

  test("say what they were made for", () => {
    const opened = tickets.open(tickets.sign(ticket, Date.now() + 1000));
    expect(opened.request).toEqual(ticket.request);
    expect(tickets.isOf(opened, "1,2,3")).toBe(true);
    expect(tickets.isOf(opened, "1,2,4")).toBe(false);
    const statement = { request: { kind: "sql", path: ["a.h5ad"], sql: "select 1" }, identity: "" } as const;
    expect(tickets.open(tickets.sign(statement, Date.now() + 1000)).request).toEqual(statement.request);
    const named = { request: { kind: "table", path: ["a.h5ad"], table: "X" }, identity: "" } as const;
    expect(tickets.open(tickets.sign(named, Date.now() + 1000)).request).toEqual(named.request);
  });

  test("are the same for the same request, and say nothing of the file", () => {
    const signed = tickets.sign(ticket, 1000);
    expect(signed).toEqual(tickets.sign(ticket, 1000));
    expect(new TextDecoder().decode(signed)).not.toContain("1,2,3");
  });

  test("expire, and can be renewed before", () => {
    const signed = tickets.sign(ticket, 1000);
    expect(() => tickets.open(signed, 1000)).toThrow(/expired at 1970-01-01T00:00:01.000Z/);
    expect(tickets.open(tickets.renew(signed, 5000, 999), 2000).request).toEqual(ticket.request);
    expect(() => tickets.renew(signed, 5000, 1000)).toThrow(/expired/);
  });

  test("are refused where one bit is another, or another server made them", () => {
    const signed = tickets.sign(ticket, Date.now() + 10_000);
    for (let i = 0; i < signed.length; i++) {
      const forged = signed.slice();
      forged[i] ^= 1 << (i % 8);
      expect(() => tickets.open(forged)).toThrow(/none of this server's/);
    }
    for (const length of [0, 1, 32, 33, signed.length - 1]) {
      expect(() => tickets.open(signed.subarray(0, length))).toThrow(/none of this server's/);
    }
    expect(() => new Tickets().open(signed)).toThrow(/none of this server's/);
    const key = new Uint8Array(32).fill(7);
    expect(new Tickets(key).open(new Tickets(key).sign(ticket, Date.now() + 1000)).request).toEqual(ticket.request);
  });
});

test("tokens", () => {
  const access = new Access("right");
  expect(() => access.check(undefined)).toThrow(/bearer token is needed/);
  for (const header of ["right", "Bearer", "Bearer ", "Digest right", "Basic !!", "Basic cmlnaHQ="]) {
    expect(() => access.check(header)).toThrow(/bearer token is needed/);
  }
  for (const header of ["Bearer wrong", "Bearer rightt", `Basic ${btoa("me:wrong")}`]) {
    expect(() => access.check(header)).toThrow(/not the one/);
  }
  for (const header of ["Bearer right", "bearer right", `Basic ${btoa("me:right")}`, `Basic ${btoa(":right")}`]) {
    expect(() => access.check(header)).not.toThrow();
  }
  expect(() => new Access(null).check(undefined)).not.toThrow();
});

test("ranges of rows cover them all, in order", () => {
  fc.assert(
    fc.property(
      fc.nat(10 ** 6),
      fc.nat(10 ** 9),
      fc.integer({ min: 1, max: 10 ** 6 }),
      fc.integer({ min: 2 ** 16, max: 2 ** 28 }),
      (first, rows, rowBytes, endpointBytes) => {
        const ranges = computeEndpointRanges(first, rows, rows * rowBytes, endpointBytes);
        expect(ranges.length).toBeLessThanOrEqual(1024);
        expect(ranges[0][0]).toBe(first);
        expect(ranges.at(-1)?.[1]).toBe(first + rows);
        for (let i = 1; i < ranges.length; i++) expect(ranges[i][0]).toBe(ranges[i - 1][1]);
      },
    ),
  );
});

describe("a gate", () => {
  test("lets in so many, the others in their order", async () => {
    const gate = new RequestLimit(2, "things", 2);
    const order: number[] = [];
    const leave = await Promise.all([gate.enter(), gate.enter()]);
    const third = gate.enter().then((out) => {
      order.push(3);
      return out;
    });
    const fourth = gate.enter().then((out) => {
      order.push(4);
      return out;
    });
    await expect(gate.enter()).rejects.toThrow(/too many things: 2 run and 2 wait/);
    expect(gate.tryEnter()).toBeNull();
    leave[0]();
    leave[0]();
    (await third)();
    (await fourth)();
    leave[1]();
    expect(order).toEqual([3, 4]);
    expect([gate.inside, gate.waiting]).toEqual([0, 0]);
  });

  test("forgets who leaves the line", async () => {
    const gate = new RequestLimit(1, "things");
    const leave = await gate.enter();
    const controller = new AbortController();
    const waiting = gate.enter(controller.signal);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    leave();
    expect([gate.inside, gate.waiting]).toEqual([0, 0]);
  });
});

test("streams end with their ticket", () => {
  const running = new RunningStreams();
  const ticket = new Uint8Array(40).fill(1);
  const stream = running.begin(ticket, new AbortController().signal);
  running.cancel(ticket);
  expect(stream.signal.aborted).toBe(true);
  stream.end();
  expect(() => running.begin(ticket, new AbortController().signal)).toThrow(/cancelled/);
  expect(running.size).toBe(0);
});

test("forms by what is accepted", () => {
  expect(pickResponseForm(undefined, null)).toBe("arrow");
  expect(pickResponseForm("text/html,application/xhtml+xml,*/*;q=0.8", null)).toBe("arrow");
  expect(pickResponseForm("text/csv;q=0.5, application/x-ndjson", null)).toBe("json");
  expect(pickResponseForm("text/csv", "json")).toBe("json");
  expect(() => pickResponseForm("image/png", null)).toThrow(/there are/);
  expect(() => pickResponseForm("text/csv;q=0", null)).toThrow(/there are/);
});

test("what is not meant for clients is not told them", () => {
  expect(toFailure(new Error("/etc/passwd"))).toEqual({
    reason: "internal",
    message: "internal error; the server's log has it",
  });
  const error = new NotFoundError("no table", { source: "/home/me/data/a.h5ad", element: "X" });
  expect(toFailure(error, "a.h5ad").message).toBe("a.h5ad: X: no table");
  expect(toFailure(error).message).toBe("X: no table");
  expect(toFailure(new NotFoundError("no table", { source: "" }), "a.h5ad").message).toBe("a.h5ad: no table");
});

test("several folders stand under their names, which must differ", async () => {
  const base = mkdtempSync(join(tmpdir(), "annarrow-folders-"));
  for (const path of ["a/data", "b/data", "b/other"]) mkdirSync(join(base, path), { recursive: true });
  const folders = await Folders.open([join(base, "a/data"), join(base, "b/other")]);
  await expect(folders.find(["third", "x"])).rejects.toThrow(/nothing is served/);
  expect(await folders.place(["data", "new.h5ad"])).toMatchObject({ name: "data/new.h5ad", exists: false });
  await expect(folders.place(["data"])).rejects.toThrow(/is a served folder/);
  await expect(folders.place(["data", "..", "new.h5ad"])).rejects.toThrow(/no name that is served/);
  await expect(Folders.open(["examples/pbmc.h5ad"])).rejects.toThrow("is no folder: give the folder that it is in");
  await expect(Folders.open([join(base, "a/data"), join(base, "b/data")])).rejects.toThrow(
    /two folders of the name data/,
  );
  await expect(Folders.open([join(base, "nosuch")])).rejects.toThrow(/no such folder/);
  rmSync(base, { recursive: true });
});
