/** Flight SQL for served folders: converts commands to requests and small tables, and runs actions. */

import type { BatchStream } from "annarrow";
import { joinByteChunks, encodeApacheSchema as messageOfSchema, streamWriter } from "annarrow/core/ipc";
import { VERSION } from "annarrow/core/model";
import { findStatementTables, hasParameters } from "annarrow/core/query";
import { Schema } from "apache-arrow";
import { type ActionResult, type ActionType, encodeJsonBytes } from "../../../flight/protocol/action.js";
import type { FlightEndpoint } from "../../../flight/protocol/flight-info.js";
import { joinParts } from "../../../flight/protocol/proto-writer.js";
import type { ServerCall } from "../../../flight/protocol/service.js";
import { readSqlMessage, type SqlMessage } from "../../../flight/protocol/sql/any.js";
import { readSqlCommand } from "../../../flight/protocol/sql/command.js";
import {
  readCancelQuery,
  readPreparedRequest,
  writeBoundResult,
  writeCancelQueryResult,
  writePreparedResult,
} from "../../../flight/protocol/sql/prepared.js";
import {
  type OptionError,
  readSessionOptions,
  writeSessionClosed,
  writeSessionErrors,
  writeSessionOptions,
} from "../../../flight/protocol/sql/session.js";
import type { PreparedSchemas } from "../../answers/answers.node.js";
import type { Serving } from "../../answers/serving.node.js";
import { RequestError, toFailure } from "../../requests/failure.js";
import {
  type DataRequest,
  parseClientMessage,
  parseCommandRequest,
  parseObject,
  type SqlRequest,
} from "../../requests/request.js";
import { createSchemasTable, createTablesTable, type ListedDatasets } from "./listed-tables.js";
import {
  createCatalogsTable,
  createForeignKeysTable,
  createPrimaryKeysTable,
  createTableTypesTable,
  type MetadataTable,
} from "./metadata-table.js";
import { findSessionSchema, SCHEMA, setSessionSchema } from "./session.js";
import { createSqlInfoTable } from "./sql-info.js";
import { createTypeInfoTable } from "./type-info.js";

// Handles of prepared statements: the statement itself as JSON, with the schema of its answer, or the values that were
// bound to its parameters. The server stores nothing, so handles never expire, and all servers of the same folders
// accept them.

/** Maximum size in bytes of bound values, which are part of each request that runs the statement. */
const MAX_BYTES = 2 ** 19;

/** Maximum size of a schema in bytes. A longer schema is computed again for each request. */
const LONGEST_SCHEMA = 2 ** 16;

/**
 * A prepared statement and the schema of its answer. The schema is null if it is too large or depends on parameter
 * values.
 */
interface Prepared {
  readonly request: SqlRequest;
  readonly schema: Uint8Array | null;
}

function writeHandle({ request, schema }: Prepared): Uint8Array {
  const { sql, path, parameters } = request;
  const dataset = path.length === 0 ? undefined : path.join("/");
  const known = schema === null || schema.length > LONGEST_SCHEMA ? undefined : Buffer.from(schema).toString("base64");
  return encodeJsonBytes({ sql, dataset, parameters, schema: known });
}

/** @throws {RequestError} for bytes that are not a handle. */
function readHandle(handle: Uint8Array): Prepared {
  const { parameters, schema, ...command } = parseObject(handle, "the handle of the prepared statement");
  const request = parseCommandRequest(command);
  if (request.kind !== "sql" || !isOptionalText(parameters) || !isOptionalText(schema)) {
    throw new RequestError("invalid", "the handle of the prepared statement is none of this server's");
  }
  return {
    request: parameters === undefined ? request : { ...request, parameters },
    schema: schema === undefined ? null : Buffer.from(schema, "base64"),
  };
}

const isOptionalText = (value: unknown) => value === undefined || typeof value === "string";

/**
 * Encodes values as an Arrow IPC stream in base64.
 * @throws {RequestError} if they exceed 512 KiB.
 */
async function encodeHandleValues({ schema, batches }: BatchStream): Promise<string> {
  const writer = streamWriter(schema);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    const encoded = joinByteChunks(writer.batch(batch));
    bytes += encoded.length;
    if (bytes > MAX_BYTES) {
      throw new RequestError(
        "too-large",
        `the values have more than ${MAX_BYTES} bytes: send them as a table, by DoExchange`,
      );
    }
    chunks.push(encoded);
  }
  return Buffer.from(joinByteChunks([...chunks, ...writer.end()])).toString("base64");
}

export type FlightSqlRequest =
  /** Null if the schema is not yet known. */
  | { readonly kind: "statement"; readonly request: DataRequest; readonly schema: Uint8Array | null }
  | { readonly kind: "metadata"; readonly table: MetadataTable };

const CANCEL_QUERY = "CancelQuery";

export const SQL_ACTIONS: readonly ActionType[] = [
  { type: "CreatePreparedStatement", description: "Prepares a statement of Flight SQL" },
  { type: "ClosePreparedStatement", description: "Forgets a prepared statement" },
  { type: CANCEL_QUERY, description: "Ends the streams of all tickets of a flight" },
  { type: "SetSessionOptions", description: "Sets the schema, a dataset whose tables need no schema in front" },
  { type: "GetSessionOptions", description: "The schema of the session" },
  { type: "CloseSession", description: "Forgets the schema of the session" },
];

/** Actions that change data. */
const REFUSED = [
  ...["BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint"],
  "CreatePreparedSubstraitPlan",
];

export const isSqlAction = (type: string) => REFUSED.includes(type) || SQL_ACTIONS.some((one) => one.type === type);

/** Maximum age in milliseconds of the last check of a folder store, for a listing. */
export const LISTING_AGE = 1000;

export class FlightSql {
  readonly #serving: Serving;

  constructor(serving: Serving) {
    this.#serving = serving;
  }

  /** @throws {RequestError} for a command that changes data, or is invalid or unknown. */
  async wanted(message: SqlMessage, call: ServerCall): Promise<FlightSqlRequest> {
    const command = parseClientMessage(message.bytes, (bytes) => readSqlCommand({ name: message.name, bytes }));
    switch (command.kind) {
      case "statement":
        return this.#statement({
          request: await this.#request(command.query, command.transaction, call),
          schema: null,
        });
      case "prepared":
        return this.#statement(readHandle(command.handle));
      case "catalogs":
        return { kind: "metadata", table: createCatalogsTable() };
      case "schemas":
        return { kind: "metadata", table: createSchemasTable(this.#listed(), command) };
      case "tables":
        return { kind: "metadata", table: createTablesTable(this.#listed(), command) };
      case "table-types":
        return { kind: "metadata", table: createTableTypesTable() };
      case "info": {
        const facts = { version: VERSION, mostStatements: this.#serving.statements.most };
        return { kind: "metadata", table: createSqlInfoTable(command.ids, facts) };
      }
      case "type-info":
        return { kind: "metadata", table: createTypeInfoTable(command.dataType) };
      case "primary-keys":
        return { kind: "metadata", table: createPrimaryKeysTable() };
      case "exported-keys":
      case "imported-keys":
      case "cross-reference":
        return { kind: "metadata", table: createForeignKeysTable() };
      case "other":
        throw refused(command.name);
      default:
        return command satisfies never;
    }
  }

  /** Binds the values of `stream` to a prepared statement. Returns a handle that contains both. */
  async bind(message: SqlMessage, stream: () => Promise<BatchStream>): Promise<Uint8Array> {
    const command = parseClientMessage(message.bytes, (bytes) => readSqlCommand({ name: message.name, bytes }));
    if (command.kind !== "prepared") throw refused(message.name);
    const { request } = readHandle(command.handle);
    const parameters = await encodeHandleValues(await stream());
    return writeBoundResult(writeHandle({ request: { ...request, parameters }, schema: null }));
  }

  /** @param cancel ends the streams of endpoints. */
  async *action(
    type: string,
    body: Uint8Array,
    call: ServerCall,
    cancel: (endpoints: readonly FlightEndpoint[]) => void,
  ): AsyncGenerator<ActionResult> {
    switch (type) {
      case "CreatePreparedStatement":
        yield { body: await this.#prepare(body, call) };
        return;
      case "ClosePreparedStatement":
        // The handle is the statement itself, so the server has nothing to release.
        return;
      case CANCEL_QUERY: {
        const { endpoints } = parseClientMessage(wrapped(body, type), readCancelQuery);
        cancel(endpoints);
        yield { body: writeCancelQueryResult("cancelled") };
        return;
      }
      case "SetSessionOptions": {
        const errors = await this.#setOptions(parseClientMessage(body, readSessionOptions), call);
        yield { body: joinParts(writeSessionErrors(errors).finish()) };
        return;
      }
      case "GetSessionOptions": {
        const schema = findSessionSchema(call);
        const options = new Map(schema === null ? [] : [[SCHEMA, schema]]);
        yield { body: joinParts(writeSessionOptions(options).finish()) };
        return;
      }
      case "CloseSession":
        setSessionSchema(call, null);
        yield { body: joinParts(writeSessionClosed().finish()) };
        return;
      default:
        throw refused(type);
    }
  }

  async #prepare(body: Uint8Array, call: ServerCall): Promise<Uint8Array> {
    const { query, transaction } = parseClientMessage(wrapped(body, "CreatePreparedStatement"), readPreparedRequest);
    const request = await this.#request(query, transaction, call);
    const { schema, parameters } = await this.#schemas(request, call);
    const known = hasParameters(request.sql) ? null : schema;
    return writePreparedResult({ handle: writeHandle({ request, schema: known }), schema, parameters });
  }

  async #schemas(request: SqlRequest, { peer, signal }: ServerCall): Promise<PreparedSchemas> {
    const { answers, statements } = this.#serving;
    const plain = await answers.plain(request);
    if (plain.kind === "sql") {
      const turn = () => statements.turn(peer, signal);
      return this.#serving.look(signal, () => answers.prepare(request, signal), turn);
    }
    return this.#serving.look(signal, async () => {
      const answer = await answers.answer(plain);
      try {
        return { schema: await answer.schema(signal), parameters: messageOfSchema(new Schema([])) };
      } finally {
        answer.close();
      }
    });
  }

  async #statement({ request, schema }: Prepared): Promise<FlightSqlRequest> {
    return { kind: "statement", request: await this.#serving.answers.plain(request), schema };
  }

  async #setOptions(
    options: ReadonlyMap<string, string | null>,
    call: ServerCall,
  ): Promise<ReadonlyMap<string, OptionError>> {
    const errors = new Map<string, OptionError>();
    for (const [name, value] of options) {
      if (name !== SCHEMA) errors.set(name, "invalid-name");
      else if (value !== null && value !== "" && !(await this.#isDataset(value))) errors.set(name, "invalid-value");
      else setSessionSchema(call, value === "" ? null : value);
    }
    return errors;
  }

  async #isDataset(name: string): Promise<boolean> {
    try {
      return (await this.#serving.folders.find([name])).rest === "";
    } catch (error) {
      if (error instanceof RequestError) return false;
      throw error;
    }
  }

  async #request(sql: string, transaction: Uint8Array, call: ServerCall): Promise<SqlRequest> {
    if (transaction.length > 0)
      throw new RequestError("invalid", "the statement names a transaction, and there are none");
    return { kind: "sql", path: await this.#defaultPath(sql, call), sql };
  }

  /** Returns the dataset of unqualified table names: the session's dataset, or the only dataset. */
  async #defaultPath(sql: string, call: ServerCall): Promise<readonly string[]> {
    if (!findStatementTables(sql).some(({ schema }) => schema === null)) return [];
    const chosen = findSessionSchema(call);
    if (chosen !== null) return [chosen];
    return this.#serving.look(call.signal, async () => {
      const found: string[] = [];
      for await (const name of this.#serving.folders.names()) if (found.push(name) > 1) break;
      return found.length === 1 ? found : [];
    });
  }

  #listed(): ListedDatasets {
    const { folders, datasets, log } = this.#serving;
    const look = <T>(signal: AbortSignal, action: () => Promise<T>) => this.#serving.look(signal, action);
    return {
      async *names(prefix, signal) {
        const names = folders.names(prefix);
        const next = () => look(signal, () => names.next());
        for (let name = await next(); !name.done; name = await next()) yield name.value;
      },
      use: (name, signal, action) =>
        look(signal, async () => {
          try {
            const { dataset, release } = await datasets.borrow([name], { age: LISTING_AGE });
            return await action(dataset).finally(release);
          } catch (error) {
            signal.throwIfAborted();
            log("warn", "not listed", { name, error: toFailure(error, name).message });
            return null;
          }
        }),
    };
  }
}

function refused(name: string): RequestError {
  return new RequestError("forbidden", `${name.slice(0, 100)} is refused: over SQL this server only reads`);
}

function wrapped(body: Uint8Array, action: string): Uint8Array {
  const message = parseClientMessage(body, readSqlMessage);
  if (message?.name !== `Action${action}Request`) {
    throw new RequestError("invalid", `the body of ${action} is no Action${action}Request in a google.protobuf.Any`);
  }
  return message.bytes;
}
