/** Flight SQL over a real connection; the values are those of the file, read by `open`. */

import { RecordBatchReader, Schema, type Table, tableFromArrays } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectFlight } from "../../src/flight/grpc-client.node.js";
import { FlightDecoder } from "../../src/flight/messages/decode.js";
import { MESSAGE_BYTES, toMessageFlightData } from "../../src/flight/messages/message-data.js";
import { encodeTableMessages } from "../../src/flight/messages/table-messages.js";
import type { FlightDescriptor } from "../../src/flight/protocol/descriptor.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { parseProtoFields } from "../../src/flight/protocol/proto-reader.js";
import { joinParts, ProtoWriter } from "../../src/flight/protocol/proto-writer.js";
import { readSqlMessage, writeSqlMessage } from "../../src/flight/protocol/sql/any.js";
import { type ServedToClient, servedToClient } from "./served.js";

let it: ServedToClient;
beforeAll(async () => {
  it = await servedToClient({ readOnly: true });
});
afterAll(() => it.close());

const LONG = 240_000;
const descriptorOf = (name: string, message = new ProtoWriter()): FlightDescriptor => ({
  kind: "command",
  command: writeSqlMessage(name, message),
});
const statement = (sql: string) => descriptorOf("CommandStatementQuery", new ProtoWriter().string(1, sql));
const infoOf = (descriptor: FlightDescriptor) => it.connection.unary(METHODS.getFlightInfo, descriptor);

async function rowsOf(descriptor: FlightDescriptor): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const { ticket } of (await infoOf(descriptor)).endpoints) {
    const decoder = new FlightDecoder();
    for await (const data of it.connection.stream(METHODS.doGet, ticket)) {
      const message = await decoder.take(data);
      const batch = await message?.batch?.();
      for (const row of batch ?? []) rows.push(row.toJSON());
    }
  }
  return rows;
}

const textsOf = (rows: readonly Record<string, unknown>[], name: string) => rows.map((row) => row[name]);

async function acted(type: string, body: Uint8Array): Promise<Uint8Array | undefined> {
  let last: Uint8Array | undefined;
  for await (const { body: result } of it.connection.stream(METHODS.doAction, { type, body })) last = result;
  return last;
}

const refused = (message: RegExp, status: string) => ({ cause: { status, message: expect.stringMatching(message) } });

describe("about the server", () => {
  test("datasets are schemas, without catalogs", async () => {
    expect(await rowsOf(descriptorOf("CommandGetCatalogs"))).toEqual([]);
    const schemas = await rowsOf(descriptorOf("CommandGetDbSchemas"));
    expect(textsOf(schemas, "db_schema_name")).toEqual([
      "broken.h5ad",
      "linked.h5ad",
      "pbmc.h5ad",
      "sub/pbmc.zarr.zip",
    ]);
    const some = descriptorOf("CommandGetDbSchemas", new ProtoWriter().strings(2, ["sub/%"]));
    expect(textsOf(await rowsOf(some), "db_schema_name")).toEqual(["sub/pbmc.zarr.zip"]);
    const catalog = descriptorOf("CommandGetDbSchemas", new ProtoWriter().strings(1, ["other"]));
    expect(await rowsOf(catalog)).toEqual([]);
  });

  test(
    "tables have the schema that a statement gives",
    async () => {
      const filters = new ProtoWriter().strings(2, ["pbmc.h5ad"]).strings(3, ["obs"]).bool(5, true);
      const [obs, ...others] = await rowsOf(descriptorOf("CommandGetTables", filters));
      expect(others).toEqual([]);
      expect(obs).toMatchObject({
        catalog_name: null,
        db_schema_name: "pbmc.h5ad",
        table_name: "obs",
        table_type: "TABLE",
      });
      const listed = schemaOf(obs.table_schema);
      const { schema } = await it.connection.unary(METHODS.getSchema, statement('select * from "pbmc.h5ad".obs'));
      expect(`${listed}`).toBe(`${schemaOf(schema)}`);
    },
    LONG,
  );

  test("types of tables, of columns, and keys", async () => {
    expect(await rowsOf(descriptorOf("CommandGetTableTypes"))).toEqual([{ table_type: "TABLE" }]);
    const integers = await rowsOf(descriptorOf("CommandGetXdbcTypeInfo", new ProtoWriter().int64(1, 4n)));
    expect(textsOf(integers, "type_name")).toEqual(["INTEGER", "UINTEGER"]);
    const all = textsOf(await rowsOf(descriptorOf("CommandGetXdbcTypeInfo")), "data_type").map(Number);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    for (const keys of ["PrimaryKeys", "ExportedKeys", "ImportedKeys", "CrossReference"]) {
      expect(await rowsOf(descriptorOf(`CommandGet${keys}`, new ProtoWriter().string(3, "obs")))).toEqual([]);
    }
  });

  test("facts", async () => {
    const some = new ProtoWriter().bytes(1, Uint8Array.of(0, 3, 8, 9));
    expect(await rowsOf(descriptorOf("CommandGetSqlInfo", some))).toEqual([
      { info_name: 0, value: "annarrow" },
      { info_name: 3, value: true },
      { info_name: 8, value: 0 },
      { info_name: 9, value: true },
    ]);
    // Drivers read levels of joins as 32 bits; text is cast to and from everything.
    const [joins, casts] = await rowsOf(
      descriptorOf("CommandGetSqlInfo", new ProtoWriter().int64(1, 528n).int64(1, 517n)),
    ).then((rows) => [528, 517].map((id) => rows.find(({ info_name }) => info_name === id)?.value));
    expect(joins).toBe(0b110);
    expect(JSON.parse(JSON.stringify(casts))).toMatchObject({ 7: expect.arrayContaining([19]), 19: expect.any(Array) });
    const all = await rowsOf(descriptorOf("CommandGetSqlInfo"));
    expect(new Set(textsOf(all, "info_name")).size).toBe(all.length);
  });
});

describe("statements", () => {
  test(
    "name datasets as schemas",
    async () => {
      const sql =
        'select count(*)::integer as n from "pbmc.h5ad".obs a join "sub/pbmc.zarr.zip".obs b on a._index = b._index';
      expect(await rowsOf(statement(sql))).toEqual([{ n: 2700 }]);
    },
    LONG,
  );

  test("that choose columns of a matrix are streams of the table", async () => {
    const { endpoints, totalRecords, schema } = await infoOf(
      statement('select value, row from "pbmc.h5ad".X limit 5 offset 7'),
    );
    expect([endpoints.length, totalRecords]).toEqual([1, 5]);
    expect(schemaOf(schema).names).toEqual(["value", "row"]);
    const rows = await rowsOf(statement('select value, row from "pbmc.h5ad".X limit 5 offset 7'));
    expect(rows).toHaveLength(5);
    expect(textsOf(rows, "row")).toEqual([0, 0, 0, 0, 0]);
    expect((await infoOf(statement('SELECT * FROM "pbmc.h5ad"."X";'))).totalRecords).toBe(187_809);
  });

  test(
    "without a dataset name none, or are told how",
    async () => {
      await expect(infoOf(statement("select * from obs"))).rejects.toMatchObject(
        refused(/Its dataset goes in front, as in "pbmc.h5ad".obs/, "INVALID_ARGUMENT"),
      );
      const connection = await connectFlight(it.server.location, { headers: { schema: "pbmc.h5ad" } });
      const { totalRecords } = await connection.unary(METHODS.getFlightInfo, statement("select * from X"));
      expect(totalRecords).toBe(187_809);
      connection.close();
    },
    LONG,
  );

  test.each([
    ["CommandStatementUpdate", "PERMISSION_DENIED"],
    ["CommandStatementIngest", "PERMISSION_DENIED"],
    ["CommandPreparedStatementUpdate", "PERMISSION_DENIED"],
    ["CommandStatementSubstraitPlan", "PERMISSION_DENIED"],
  ])("%s is refused by name", async (name, status) => {
    await expect(infoOf(descriptorOf(name))).rejects.toMatchObject(refused(new RegExp(`^${name} is refused`), status));
    const put = it.connection.duplex(METHODS.doPut, sent(descriptorOf(name)));
    await expect(drained(put)).rejects.toMatchObject(refused(new RegExp(`^${name} is refused`), status));
  });

  test("of other kinds are refused, and so are transactions", async () => {
    const insert = infoOf(statement('insert into "pbmc.h5ad".obs values (1)'));
    await expect(insert).rejects.toMatchObject(refused(/^INSERT is refused/, "PERMISSION_DENIED"));
    const within = new ProtoWriter().string(1, "select 1").bytes(2, Uint8Array.of(1));
    const transaction = infoOf(descriptorOf("CommandStatementQuery", within));
    await expect(transaction).rejects.toMatchObject(refused(/transaction/, "INVALID_ARGUMENT"));
    for (const action of ["BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint"]) {
      await expect(acted(action, new Uint8Array(0))).rejects.toMatchObject(refused(/is refused/, "PERMISSION_DENIED"));
    }
  });
});

describe("prepared statements", () => {
  const SQL = 'select _index, n_genes from "pbmc.h5ad".obs where n_genes > ? and cell_type = ? order by row limit 2';

  test(
    "tell types of parameters, and run for each row of values",
    async () => {
      const [handle, schema, parameters] = await prepared(SQL);
      expect(schemaOf(schema).names).toEqual(["_index", "n_genes"]);
      expect(schemaOf(parameters).fields.map(({ type }) => `${type}`)).toEqual(["Int32", "Utf8"]);
      const values = tableFromArrays({ a: Int32Array.of(100, 1_000_000), b: ["CD4 T cell", "CD8 T cell"] });
      const bound = await bind(handle, values);
      const rows = await rowsOf(descriptorOf("CommandPreparedStatementQuery", new ProtoWriter().bytes(1, bound)));
      expect(rows).toHaveLength(2);
      for (const { n_genes } of rows) expect(n_genes).toBeGreaterThan(100);
      await acted(
        "ClosePreparedStatement",
        writeSqlMessage("ActionClosePreparedStatementRequest", new ProtoWriter().bytes(1, handle)),
      );
    },
    LONG,
  );

  test(
    "refuse wrong handles and numbers of values",
    async () => {
      for (const handle of [[], [1, 2, 3], text("{}"), text('{"sql":1}'), text('{"sql":"select 1","parameters":2}')]) {
        const command = descriptorOf(
          "CommandPreparedStatementQuery",
          new ProtoWriter().bytes(1, Uint8Array.from(handle)),
        );
        await expect(infoOf(command)).rejects.toMatchObject({ cause: { status: "INVALID_ARGUMENT" } });
      }
      const bound = await bind(text(JSON.stringify({ sql: "select ?, ?" })), tableFromArrays({ a: ["x"] }));
      const command = descriptorOf("CommandPreparedStatementQuery", new ProtoWriter().bytes(1, bound));
      await expect(infoOf(command)).rejects.toMatchObject(refused(/2 parameters, and 1 values/, "INVALID_ARGUMENT"));
      const huge = tableFromArrays({ a: ["x".repeat(2 ** 20)] });
      await expect(bind(text(JSON.stringify({ sql: "select ?" })), huge)).rejects.toMatchObject(
        refused(/more than 524288 bytes/, "INVALID_ARGUMENT"),
      );
    },
    LONG,
  );
});

describe("sessions and cancelling", () => {
  test("a cookie keeps the schema", async () => {
    const option = (name: string, value: string) =>
      joinParts(
        new ProtoWriter()
          .message(1, new ProtoWriter().string(1, name).message(2, new ProtoWriter().string(1, value)))
          .finish(),
      );
    expect(await acted("SetSessionOptions", option("schema", "pbmc.h5ad"))).toEqual(new Uint8Array(0));
    expect(await acted("SetSessionOptions", option("schema", "nosuch.h5ad"))).not.toEqual(new Uint8Array(0));
    expect(await acted("SetSessionOptions", option("catalog", "pbmc.h5ad"))).not.toEqual(new Uint8Array(0));
    const headers = { cookie: "other=1; annarrow_schema=pbmc.h5ad" };
    const connection = await connectFlight(it.server.location, { headers });
    const { totalRecords } = await connection.unary(METHODS.getFlightInfo, statement("select * from X"));
    expect(totalRecords).toBe(187_809);
    connection.close();
    expect(await acted("CloseSession", new Uint8Array(0))).toEqual(Uint8Array.of(8, 1));
  });

  test("a cancelled ticket is taken no more", async () => {
    const descriptor = statement('select * from "pbmc.h5ad".X limit 1');
    const info = await infoOf(descriptor);
    const bytes = joinParts(METHODS.getFlightInfo.response.write(info).finish());
    const result = await acted(
      "CancelQuery",
      writeSqlMessage("ActionCancelQueryRequest", new ProtoWriter().bytes(1, bytes)),
    );
    expect(readSqlMessage(result ?? new Uint8Array(0))).toEqual({
      name: "ActionCancelQueryResult",
      bytes: Uint8Array.of(8, 1),
    });
    await expect(drained(it.connection.stream(METHODS.doGet, info.endpoints[0].ticket))).rejects.toMatchObject({
      cause: { status: "CANCELLED" },
    });
  });

  test("broken messages are the client's error", async () => {
    const type = text("type.googleapis.com/arrow.flight.protocol.sql.CommandGetTables");
    const broken = Uint8Array.of(0x0a, type.length, ...type, 0x12, 9);
    const status = { cause: { status: "INVALID_ARGUMENT" } };
    await expect(infoOf({ kind: "command", command: broken })).rejects.toMatchObject(status);
    await expect(drained(it.connection.stream(METHODS.doGet, { ticket: broken }))).rejects.toMatchObject(status);
    await expect(acted("CreatePreparedStatement", text("{}"))).rejects.toMatchObject(status);
    const ticket = writeSqlMessage("CommandStatementQuery", new ProtoWriter().string(1, "select 1"));
    await expect(drained(it.connection.stream(METHODS.doGet, { ticket }))).rejects.toMatchObject(status);
  });
});

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function schemaOf(message: unknown): Schema {
  if (!(message instanceof Uint8Array)) throw new TypeError("a message was expected");
  return message.length === 0 ? new Schema([]) : RecordBatchReader.from(message).open().schema;
}

async function drained(answers: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of answers);
}

async function* sent(descriptor: FlightDescriptor, { schema, batches } = tableFromArrays({ a: ["x"] })) {
  let isFirst = true;
  for await (const message of encodeTableMessages({ schema, batches }, MESSAGE_BYTES)) {
    yield { ...toMessageFlightData(message), descriptor: isFirst ? descriptor : null };
    isFirst = false;
  }
}

/** Handle, schema of the answer, schema of the parameters. */
async function prepared(sql: string): Promise<Uint8Array[]> {
  const request = writeSqlMessage("ActionCreatePreparedStatementRequest", new ProtoWriter().string(1, sql));
  const result = readSqlMessage((await acted("CreatePreparedStatement", request)) ?? new Uint8Array(0));
  expect(result?.name).toBe("ActionCreatePreparedStatementResult");
  return [...parseProtoFields(result?.bytes ?? new Uint8Array(0), "result")].map((field) => field.bytes());
}

async function bind(handle: Uint8Array, values: Table): Promise<Uint8Array> {
  const descriptor = descriptorOf("CommandPreparedStatementQuery", new ProtoWriter().bytes(1, handle));
  for await (const { appMetadata } of it.connection.duplex(METHODS.doPut, sent(descriptor, values))) {
    for (const field of parseProtoFields(appMetadata, "DoPutPreparedStatementResult")) return field.bytes();
  }
  throw new TypeError("a handle was expected");
}
