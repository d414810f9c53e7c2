/** Messages of Flight SQL; expected bytes are written by hand from FlightSql.proto. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAnnarrowError } from "../../../../src/model/errors.js";
import { joinParts, ProtoWriter } from "../../src/flight/protocol/proto-writer.js";
import { readSqlMessage, writeSqlMessage } from "../../src/flight/protocol/sql/any.js";
import { readSqlCommand } from "../../src/flight/protocol/sql/command.js";
import { readCancelQuery, readPreparedRequest } from "../../src/flight/protocol/sql/prepared.js";
import { readSessionOptions, writeSessionErrors, writeSessionOptions } from "../../src/flight/protocol/sql/session.js";

const text = (value: string) => new TextEncoder().encode(value);
const bytesOf = (message: ProtoWriter) => joinParts(message.finish());
const command = (name: string, ...bytes: number[]) => readSqlCommand({ name, bytes: Uint8Array.from(bytes) });

describe("an Any", () => {
  const TYPE = "type.googleapis.com/arrow.flight.protocol.sql.CommandGetCatalogs";

  test("is a type and bytes", () => {
    const written = writeSqlMessage("CommandGetCatalogs", new ProtoWriter().string(1, "x"));
    expect([...written]).toEqual([0x0a, TYPE.length, ...text(TYPE), 0x12, 3, 0x0a, 1, 0x78]);
    expect(readSqlMessage(written)).toEqual({ name: "CommandGetCatalogs", bytes: Uint8Array.of(0x0a, 1, 0x78) });
  });

  test("of another type, and JSON, are none of Flight SQL", () => {
    expect(readSqlMessage(text('{"dataset": "a"}'))).toBeNull();
    expect(readSqlMessage(text('\n{"dataset": "a"}'))).toBeNull();
    expect(readSqlMessage(bytesOf(new ProtoWriter().string(1, "type.googleapis.com/other.Message")))).toBeNull();
    expect(readSqlMessage(new Uint8Array(0))).toBeNull();
  });

  test("that is cut off is an error", () => {
    expect(() => readSqlMessage(Uint8Array.of(0x0a, TYPE.length, ...text(TYPE), 0x12, 9))).toThrow("bytes");
  });
});

describe("commands", () => {
  test("filters that were not sent are null, empty ones are empty", () => {
    expect(command("CommandGetTables")).toEqual({
      ...{ kind: "tables", catalog: null, schemaPattern: null, tablePattern: null, types: [], includeSchema: false },
    });
    expect(command("CommandGetTables", 0x0a, 0, 0x12, 1, 0x25, 0x1a, 0, 0x22, 1, 0x54, 0x28, 1)).toEqual({
      ...{ kind: "tables", catalog: "", schemaPattern: "%", tablePattern: "", types: ["T"], includeSchema: true },
    });
    expect(command("CommandGetDbSchemas", 0x12, 1, 0x61)).toEqual({
      kind: "schemas",
      catalog: null,
      schemaPattern: "a",
    });
  });

  test("numbers are packed or not", () => {
    expect(command("CommandGetSqlInfo", 0x0a, 3, 1, 0xac, 0x02)).toEqual({ kind: "info", ids: [1, 300] });
    expect(command("CommandGetSqlInfo", 0x08, 1, 0x08, 0xac, 0x02)).toEqual({ kind: "info", ids: [1, 300] });
    expect(() => command("CommandGetSqlInfo", 0x0a, 1, 0x80)).toThrow("ends within a number");
    expect(() => command("CommandGetSqlInfo", 0x0a, 6, 0x80, 0x80, 0x80, 0x80, 0x80, 1)).toThrow("beyond 32 bits");
  });

  test("types may have negative numbers", () => {
    const minusFive = [0xfb, ...Array.from({ length: 8 }, () => 0xff), 1];
    expect(command("CommandGetXdbcTypeInfo", 0x08, ...minusFive)).toEqual({ kind: "type-info", dataType: -5 });
    expect(command("CommandGetXdbcTypeInfo")).toEqual({ kind: "type-info", dataType: null });
  });

  test("unknown ones keep their name", () => {
    expect(command("CommandStatementUpdate", 1, 2, 3)).toEqual({ kind: "other", name: "CommandStatementUpdate" });
  });
});

test("options of a session", () => {
  const entry = (name: string, value: ProtoWriter) => new ProtoWriter().string(1, name).message(2, value);
  const request = new ProtoWriter()
    .message(1, entry("schema", new ProtoWriter().string(1, "a.h5ad")))
    .message(1, entry("flag", new ProtoWriter().bool(2, true)))
    .message(1, entry("none", new ProtoWriter()));
  expect([...readSessionOptions(bytesOf(request))]).toEqual([
    ["schema", "a.h5ad"],
    ["flag", null],
    ["none", null],
  ]);
  expect([...bytesOf(writeSessionOptions(new Map([["a", "b"]])))]).toEqual([
    0x0a, 8, 0x0a, 1, 97, 0x12, 3, 0x0a, 1, 98,
  ]);
  expect([...bytesOf(writeSessionErrors(new Map([["a", "invalid-value"]])))]).toEqual([
    ...[0x0a, 7, 0x0a, 1, 97, 0x12, 2, 0x08, 2],
  ]);
});

test("any bytes are a message or an error of this library", () => {
  const names = ["CommandStatementQuery", "CommandPreparedStatementQuery", "CommandGetTables", "CommandGetDbSchemas"];
  const more = ["CommandGetSqlInfo", "CommandGetXdbcTypeInfo", "CommandGetPrimaryKeys", "Other"];
  const readers = [
    ...[...names, ...more].map((name) => (bytes: Uint8Array) => readSqlCommand({ name, bytes })),
    ...[readSqlMessage, readPreparedRequest, readCancelQuery, readSessionOptions],
  ];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      for (const read of readers) {
        try {
          read(bytes);
        } catch (error) {
          expect(isAnnarrowError(error)).toBe(true);
        }
      }
    }),
  );
});
