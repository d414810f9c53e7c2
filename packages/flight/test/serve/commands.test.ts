/** Refuses, over a real connection, each unsupported member of a command or of an action, and names it. */

import { tableFromArrays } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MESSAGE_BYTES, toMessageFlightData } from "../../src/flight/messages/message-data.js";
import { encodeTableMessages } from "../../src/flight/messages/table-messages.js";
import type { FlightDescriptor } from "../../src/flight/protocol/descriptor.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { type ServedToClient, servedToClient } from "./served.js";

let it: ServedToClient;
beforeAll(async () => {
  it = await servedToClient();
});
afterAll(() => it.close());

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const commandOf = (command: unknown): FlightDescriptor => ({ kind: "command", command: bytes(command) });
const refused = (message: RegExp, status = "INVALID_ARGUMENT") => ({
  cause: { status, message: expect.stringMatching(message) },
});

async function drained(answers: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of answers);
}

/** Two rows, behind that descriptor. */
async function* sent(descriptor: FlightDescriptor) {
  const { schema, batches } = tableFromArrays({ barcode: ["a", "b"] });
  let isFirst = true;
  for await (const message of encodeTableMessages({ schema, batches }, MESSAGE_BYTES)) {
    yield { ...toMessageFlightData(message), descriptor: isFirst ? descriptor : null };
    isFirst = false;
  }
}

const SQL = "select count(*) as n from mine";

describe.each(["getFlightInfo", "getSchema", "pollFlightInfo"] as const)("%s", (name) => {
  const calls = {
    getFlightInfo: (command: unknown) => it.connection.unary(METHODS.getFlightInfo, commandOf(command)),
    getSchema: (command: unknown) => it.connection.unary(METHODS.getSchema, commandOf(command)),
    pollFlightInfo: (command: unknown) => it.connection.unary(METHODS.pollFlightInfo, commandOf(command)),
  };

  test.each([
    [{ dataset: "pbmc.h5ad", sql: SQL, upload: "mine" }, /^upload names a table that is sent/],
    [{ sql: SQL, upload: "mine" }, /^upload names a table that is sent/],
    [{ dataset: "pbmc.h5ad", table: "obs", upload: "mine" }, /^upload is the name of a table for sql/],
    [{ dataset: "pbmc.h5ad", sql: SQL, rows: [0, 1] }, /^either sql or rows/],
    [{ dataset: "pbmc.h5ad/obs", table: "X" }, /"obs" is too much of a name/],
    [{ dataset: "pbmc.h5ad", table: "X", row: [0, 1] }, /^the command has "row"/],
    [{ dataset: "pbmc.h5ad", table: "obs", layout: "list" }, /no layout/],
  ])("%j", async (command, message) => {
    await expect(calls[name](command)).rejects.toMatchObject(refused(message));
  });
});

describe("DoExchange", () => {
  test.each([
    [{ dataset: "pbmc.h5ad", table: "obs" }, /^an exchange is a command with sql/, undefined],
    [{ dataset: "pbmc.h5ad", sql: SQL, upload: "obs" }, /^upload is "obs", which pbmc.h5ad has/, undefined],
    [{ dataset: "pbmc.h5ad/obs", sql: SQL, upload: "mine" }, /nothing is served as "pbmc.h5ad\/obs"/, "NOT_FOUND"],
    [{ dataset: "pbmc.h5ad", sql: SQL, uploads: "mine" }, /^the command has "uploads"/, undefined],
  ])("%j", async (command, message, status) => {
    const answers = it.connection.duplex(METHODS.doExchange, sent(commandOf(command)));
    await expect(drained(answers)).rejects.toMatchObject(refused(message, status));
  });
});

describe("DoPut", () => {
  test.each([
    [{ dataset: "new.h5ad", table: "obs", overwrite: true }, /^the command has "overwrite"/],
    [{ dataset: "new.h5ad", table: "obs", columns: ["a"] }, /^the command has "columns"/],
    [{ dataset: "new.h5ad", table: "obs", upload: 1 }, /^upload must be text/],
  ])("%j", async (command, message) => {
    const answers = it.connection.duplex(METHODS.doPut, sent(commandOf(command)));
    await expect(drained(answers)).rejects.toMatchObject(refused(message));
  });
});

describe("DoAction", () => {
  test.each([
    ["inspect", { dataset: "pbmc.h5ad", upload: "mine" }, /^the body has "upload"; it may have dataset$/],
    ["inspect", { dataset: "pbmc.h5ad", upload: "" }, /^the body has "upload"/],
    ["commit", { dataset: "new.h5ad", table: "obs" }, /^the body has "table"; it may have dataset, upload, overwrite$/],
    ["commit", { dataset: "new.h5ad", overwrite: "yes" }, /^overwrite must be/],
    ["abort", { dataset: "new.h5ad", overwrite: true }, /^the body has "overwrite"; it may have dataset, upload$/],
    ["health", { dataset: "pbmc.h5ad" }, /^the body has "dataset"; it may have none$/],
  ])("%s %j", async (type, body, message) => {
    const answers = it.connection.stream(METHODS.doAction, { type, body: bytes(body) });
    await expect(drained(answers)).rejects.toMatchObject(refused(message));
  });

  test("what is right is done", async () => {
    for (const body of [new Uint8Array(0), bytes({})]) {
      await drained(it.connection.stream(METHODS.doAction, { type: "health", body }));
    }
    await drained(it.connection.stream(METHODS.doAction, { type: "inspect", body: bytes({ dataset: "pbmc.h5ad" }) }));
    const put = { dataset: "new.mat", table: "obs", upload: "mine" };
    await drained(it.connection.duplex(METHODS.doPut, sent(commandOf(put))));
    const name = { dataset: "new.mat", upload: "mine" };
    await drained(
      it.connection.stream(METHODS.doAction, { type: "commit", body: bytes({ ...name, overwrite: false }) }),
    );
    await expect(
      drained(it.connection.stream(METHODS.doAction, { type: "abort", body: bytes(name) })),
    ).rejects.toMatchObject(refused(/no upload/, "NOT_FOUND"));
  });
});
