/** Columns that statements call otherwise than the file does: their names are those that are listed, and clients are warned. */

import { join } from "node:path";
import { RecordBatchReader, type Schema, tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { write } from "../../../published/src/node.js";
import { FlightDecoder } from "../../src/flight/messages/decode.js";
import type { FlightDescriptor } from "../../src/flight/protocol/descriptor.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { ProtoWriter } from "../../src/flight/protocol/proto-writer.js";
import { writeSqlMessage } from "../../src/flight/protocol/sql/any.js";
import { type ServedToClient, servedToClient } from "./served.js";

let it: ServedToClient;
beforeAll(async () => {
  it = await servedToClient({ readOnly: true });
  const X = { row: [0, 1], col: [0, 1], value: [1, 2] };
  await write(join(it.folder, "plate.h5ad"), {
    ...{ X, "layers/Counts": X, "layers/counts": X },
    obs: {
      _index: ["a", "b"],
      row: [2, 1],
      col: [3, 4],
      Batch: ["x", "y"],
      batch: [1, 2],
      Größe: [1, 2],
      größe: [3, 4],
    },
    var: { _index: ["g", "h"], value: [5, 6] },
  });
});
afterAll(() => it.close());

const commandOf = (name: string, message: ProtoWriter): FlightDescriptor => ({
  kind: "command",
  command: writeSqlMessage(name, message),
});
const statement = (sql: string) => commandOf("CommandStatementQuery", new ProtoWriter().string(1, sql));
const plate = (sql: string, format: string) =>
  fetch(`${it.http}/plate.h5ad?sql=${encodeURIComponent(sql)}&format=${format}`);

async function answered(descriptor: FlightDescriptor): Promise<{ schema: Schema; rows: Record<string, unknown>[] }> {
  const { endpoints } = await it.connection.unary(METHODS.getFlightInfo, descriptor);
  const decoder = new FlightDecoder();
  const rows: Record<string, unknown>[] = [];
  let schema: Schema | null = null;
  for (const { ticket } of endpoints) {
    for await (const data of it.connection.stream(METHODS.doGet, ticket)) {
      const message = await decoder.take(data);
      const batch = await message?.batch?.();
      if (batch === undefined) continue;
      schema ??= batch.schema;
      for (const row of batch) rows.push(row.toJSON());
    }
  }
  if (schema === null) throw new TypeError("an answer without batches");
  return { schema, rows };
}

const fieldsOf = ({ fields }: Schema) => fields.map(String);
const OBS = ["_index", "row_1", "col_1", "Batch", "batch_1", "Größe", "größe_1", "row"];
const OF_OBS =
  'obs: columns whose names others have are called otherwise here: "row" is "row_1", "col" is "col_1", "batch" is "batch_1", "größe" is "größe_1"';
const OF_TABLES = 'layers/counts: is "layers/counts_1" here, because the name of another table differs in case alone';

describe("Flight SQL", () => {
  test.each([
    ["obs", OBS],
    ["var", ["_index", "value_1", "col"]],
    ["X", ["row", "col", "value"]],
    ["layers/counts_1", ["row", "col", "value"]],
  ])("the listed schema of %s is the one of its rows", async (table, names) => {
    const filters = new ProtoWriter()
      .strings(2, ["plate.h5ad"])
      .strings(3, [table.replaceAll("_", "\\_")])
      .bool(5, true);
    const { rows } = await answered(commandOf("CommandGetTables", filters));
    expect(rows.map((row) => row.table_name)).toEqual([table]);
    const [{ table_schema: bytes }] = rows;
    if (!(bytes instanceof Uint8Array)) throw new TypeError("a schema is bytes");
    const { schema: listed } = RecordBatchReader.from(bytes).open();
    const { schema } = await answered(statement(`select * from "plate.h5ad"."${table}"`));
    expect(listed.fields.map(({ name }) => name)).toEqual(names);
    expect(fieldsOf(schema)).toEqual(fieldsOf(listed));
  });

  test("the schema of an answer has the warnings, before and with the rows", async () => {
    const sql = statement(
      'select row, row_1, value from "plate.h5ad".obs join "plate.h5ad"."layers/counts_1" using (row)',
    );
    const { schema: planned } = await it.connection.unary(METHODS.getSchema, sql);
    const { schema, rows } = await answered(sql);
    expect(rows.map(({ row_1 }) => Number(row_1))).toEqual([2, 1]);
    for (const one of [schema, RecordBatchReader.from(planned).open().schema]) {
      expect(JSON.parse(one.metadata.get("annarrow.warnings") ?? "[]").toSorted()).toEqual([OF_TABLES, OF_OBS]);
    }
    const { schema: plain } = await answered(statement('select count(*) from "plate.h5ad".X'));
    expect(plain.metadata.has("annarrow.warnings")).toBe(false);
  });
});

describe("HTTP", () => {
  test.each(["csv", "json", "arrow"])("a header of %s has the warnings", async (format) => {
    const response = await plate("select row_1 from obs", format);
    expect(JSON.parse(response.headers.get("annarrow-warnings") ?? "[]")).toEqual([OF_OBS]);
    if (format === "arrow") {
      const { metadata } = tableFromIPC(new Uint8Array(await response.arrayBuffer())).schema;
      expect(JSON.parse(metadata.get("annarrow.warnings") ?? "[]")).toEqual([OF_OBS]);
    }
    const plain = await plate("select count(*) from X", format);
    expect(plain.headers.has("annarrow-warnings")).toBe(false);
  });
});
