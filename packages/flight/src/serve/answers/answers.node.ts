/** Answers requests: finds and opens the dataset, then chooses the table or starts the statement. */

import { isAnnarrowError } from "annarrow";
import type { OpenedTable } from "annarrow/core/api";
import { findStatementTables } from "annarrow/core/query";
import { StoredTable } from "annarrow/core/tables";
import { parseSchemaMessage } from "../../flight/messages/message-data.js";
import type { AcquiredDataset, AcquireOptions, Datasets } from "../datasets/datasets.node.js";
import type { Answer } from "../requests/answer.js";
import { RequestError } from "../requests/failure.js";
import type { DataRequest, SqlRequest, TableRequest } from "../requests/request.js";
import type { Statements } from "../statements/statements.node.js";
import type { Backpressure } from "./backpressure.js";
import { createTableAnswer } from "./table-answer.js";

export interface AnswerOptions extends AcquireOptions {
  /** Throws if a found file is not the requested one. `identity` covers all datasets that the answer uses. */
  readonly check?: (identity: string, name: string) => void;
}

/** A dataset that a statement names. If the schema is null, its tables are named without a prefix. */
interface Meant {
  readonly schema: string | null;
  readonly borrowed: AcquiredDataset;
}

/** Prepared schemas as encapsulated messages. */
export interface PreparedSchemas {
  readonly schema: Uint8Array;
  readonly parameters: Uint8Array;
}

/** Maximum number of datasets that one statement may name. */
const MAX_DATASETS = 16;

/** Default maximum number of decoded bytes in one chunk. */
const CHUNK_BYTES = 2 ** 28;

export class Answers {
  readonly #datasets: Datasets;
  readonly #statements: Statements;
  readonly #pace: Backpressure;
  readonly #chunkBytes: number;

  constructor(datasets: Datasets, statements: Statements, pace: Backpressure, chunkBytes = CHUNK_BYTES) {
    this.#datasets = datasets;
    this.#statements = statements;
    this.#pace = pace;
    this.#chunkBytes = chunkBytes;
  }

  /** Returns the answer to `request`. The caller must close the answer. */
  async answer(request: DataRequest, { check, ...borrow }: AnswerOptions = {}): Promise<Answer> {
    if (request.kind === "sql") return this.#statement(request, await this.#meant(request, borrow), check);
    const borrowed = await this.#datasets.borrow(request.path, borrow);
    try {
      check?.(borrowed.found.identity, borrowed.found.name);
      return await this.#table(request, borrowed);
    } catch (error) {
      borrowed.release();
      throw error;
    }
  }

  /**
   * Returns the schemas of a statement's result and of its parameters, as encapsulated messages.
   * @throws {InvalidInputError} with DuckDB's message. The caller must have acquired a turn for the statement.
   */
  async prepare(request: SqlRequest, signal: AbortSignal): Promise<PreparedSchemas> {
    const meant = await this.#meant(request, {});
    try {
      const probe = this.#statements.start({ ...taskOf(request, meant), wanted: "prepared", format: "arrow" }, signal);
      try {
        const parameters = await probe.schema();
        const schema = await probe.schema();
        await probe.end();
        return { parameters, schema };
      } finally {
        probe.close();
      }
    } finally {
      for (const { borrowed } of meant) borrowed.release();
    }
  }

  /**
   * Converts a statement that only selects rows of one matrix to a request for that table: the rows can then be sent as
   * several streams, without a copy in the engine. Returns any other statement unchanged.
   */
  async plain(request: DataRequest): Promise<DataRequest> {
    const select = request.kind === "sql" && request.upload === undefined ? parseSimpleSelect(request.sql) : null;
    if (select === null) return request;
    const path = select.schema === null ? request.path : [select.schema];
    if (path.length === 0) return request;
    const borrowed = await this.#wholeDataset(path, {}).catch(() => null);
    if (borrowed === null) return request;
    try {
      const table = borrowed.dataset.tables.get(select.table);
      if (!(table instanceof StoredTable) || table.rows === null || !isPlainMatrix(table)) return request;
      const start = Math.min(select.offset, table.rows);
      const end = Math.min(table.rows, start + (select.limit ?? table.rows));
      return { kind: "table", path, table: select.table, columns: select.columns ?? undefined, rows: [start, end] };
    } finally {
      borrowed.release();
    }
  }

  /**
   * Opens the datasets that a statement uses: the default dataset, whose tables need no schema, and the datasets that
   * it names as schemas.
   * @throws {RequestError} for a path that leads to no dataset, and for too many datasets.
   */
  async #meant({ path, sql }: SqlRequest, options: AcquireOptions): Promise<readonly Meant[]> {
    const meant: Meant[] = [];
    try {
      if (path.length > 0) meant.push({ schema: null, borrowed: await this.#wholeDataset(path, options) });
      const schemas = new Set(findStatementTables(sql).flatMap(({ schema }) => schema ?? []));
      for (const schema of schemas) {
        const borrowed = await this.#wholeDataset([schema], options).catch((error: unknown) => {
          // The name may be an alias, or that of one of DuckDB's own schemas.
          if (error instanceof RequestError && ["not-found", "invalid"].includes(error.reason)) return null;
          throw error;
        });
        if (borrowed !== null) meant.push({ schema, borrowed });
        if (meant.length > MAX_DATASETS) {
          throw new RequestError("invalid", `a statement about more than ${MAX_DATASETS} datasets`);
        }
      }
      return meant;
    } catch (error) {
      for (const { borrowed } of meant) borrowed.release();
      throw error;
    }
  }

  async #wholeDataset(path: readonly string[], options: AcquireOptions): Promise<AcquiredDataset> {
    const borrowed = await this.#datasets.borrow(path, options);
    if (borrowed.rest === "") return borrowed;
    borrowed.release();
    const name = JSON.stringify(`${borrowed.found.name}/${borrowed.rest}`);
    throw new RequestError("not-found", `nothing is served as ${name}`);
  }

  async #table(request: TableRequest, borrowed: AcquiredDataset): Promise<Answer> {
    const { dataset, found, rest, isFixed, since, release } = borrowed;
    const name = request.table ?? rest;
    if (request.table !== undefined && rest !== "") {
      throw new RequestError(
        "invalid",
        `${found.name} is a dataset, and ${JSON.stringify(rest)} is too much of a name`,
      );
    }
    if (name === "") {
      const names = [...dataset.tables.keys()].slice(0, 20).join(", ");
      throw new RequestError("invalid", `${found.name} is a dataset; name one of its tables: ${names}`);
    }
    const origin = { name: `${found.name}/${name}`, identity: found.identity, isFixed, since, close: release };
    const table = dataset.table(name);
    this.#refuseLarge(table, origin.name);
    const answer = await createTableAnswer(table, request, origin, this.#pace);
    return {
      ...answer,
      messages: (signal) => droppingChanged(answer.messages(signal), borrowed),
      text: (format, signal) => droppingChanged(answer.text(format, signal), borrowed),
    };
  }

  /** Refuses large chunks. Decoding cannot be interrupted, and the server answers no other request until it ends. */
  #refuseLarge(table: OpenedTable, name: string): void {
    const bytes = table instanceof StoredTable ? table.chunkBytes : 0;
    if (bytes <= this.#chunkBytes) return;
    throw new RequestError(
      "unprocessable",
      `${name}: a chunk of ${bytes} bytes, at most ${this.#chunkBytes} are decoded here (--max-chunk)`,
    );
  }

  /** Plans the schema of a statement. The statement runs when rows are requested. The caller holds a slot for it. */
  #statement(request: SqlRequest, meant: readonly Meant[], check: AnswerOptions["check"]): Answer {
    const close = () => {
      for (const { borrowed } of meant) borrowed.release();
    };
    const found = meant.map(({ borrowed }) => borrowed.found);
    const identity = found.map((one) => one.identity).join("\n");
    const name = found.map((one) => one.name).join(", ");
    try {
      check?.(identity, name);
    } catch (error) {
      close();
      throw error;
    }
    const times = meant.flatMap(({ borrowed }) => borrowed.since ?? []);
    const statements = this.#statements;
    const task = taskOf(request, meant);
    let warnings: readonly string[] = [];
    return {
      name,
      async schema(signal) {
        const probe = statements.start({ ...task, wanted: "schema", format: "arrow" }, signal);
        try {
          const schema = await probe.schema();
          await probe.end();
          return schema;
        } finally {
          probe.close();
        }
      },
      rows: null,
      bytes: async () => null,
      first: null,
      metadata: null,
      entriesBefore: async () => null,
      identity,
      since: times.length === 0 ? null : Math.min(...times),
      // The result of a statement may depend on the time or on random numbers.
      isFixed: false,
      async *messages(signal) {
        const statement = statements.start({ ...task, wanted: "rows", format: "arrow" }, signal);
        try {
          const schema = parseSchemaMessage(await statement.schema());
          ({ warnings } = statement);
          yield schema;
          yield* statement.messages();
        } finally {
          statement.close();
        }
      },
      async *text(format, signal) {
        const statement = statements.start({ ...task, wanted: "rows", format }, signal);
        try {
          for await (const bytes of statement.text()) {
            ({ warnings } = statement);
            yield bytes;
          }
        } finally {
          statement.close();
        }
      },
      warnings: () => warnings,
      close,
    };
  }
}

function taskOf({ sql, parameters }: SqlRequest, meant: readonly Meant[]) {
  const datasets = meant.map(({ schema, borrowed }) => ({ schema, file: borrowed.found.path }));
  const values = parameters === undefined ? null : new Uint8Array(Buffer.from(parameters, "base64"));
  return { sql, datasets, upload: null, parameters: values } as const;
}

/** Whether the rows are entries of types that DuckDB returns unchanged. */
function isPlainMatrix({ fields }: StoredTable): boolean {
  const names = fields.map(({ name }) => name).join();
  const isPlain = fields.every(({ type }) => type.id === "Int" || (type.id === "Float" && type.bits !== 16));
  return names === "row,col,value" && isPlain;
}

/** Passes on `values`. If the dataset has changed, the dataset is dropped, so that the next request reopens it. */
async function* droppingChanged<T>(values: AsyncGenerator<T>, { drop }: AcquiredDataset): AsyncGenerator<T> {
  try {
    yield* values;
  } catch (error) {
    if (isAnnarrowError(error) && error.code === "source-changed") drop();
    throw error;
  }
}

// Statements that only select columns and a range of rows from a matrix. They need no engine.

interface PlainSelect {
  /** Null if the table's name has no schema before it. */
  readonly schema: string | null;
  readonly table: string;
  /** Null for all. */
  readonly columns: readonly string[] | null;
  readonly limit: number | null;
  readonly offset: number;
}

const NAME = '"(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_]*';

/** Columns of a matrix's stored entries, quoted or unquoted. */
const COLUMN = '"(?:row|col|value)"|row|col|value';

const PLAIN = new RegExp(
  `^\\s*select\\s+(\\*|(?:${COLUMN})(?:\\s*,\\s*(?:${COLUMN}))*)\\s+from\\s+(?:(${NAME})\\.)?(${NAME})` +
    "(?:\\s+limit\\s+(\\d{1,15}))?(?:\\s+offset\\s+(\\d{1,15}))?\\s*;?\\s*$",
  "i",
);

/** Parses such a statement; null for any other statement. */
function parseSimpleSelect(sql: string): PlainSelect | null {
  const found = PLAIN.exec(sql);
  if (found === null) return null;
  const [, columns, schema, table, limit, offset] = found;
  const chosen = columns === "*" ? null : columns.split(",").map((column) => unquoted(column.trim()).toLowerCase());
  if (chosen !== null && new Set(chosen).size !== chosen.length) return null;
  return {
    schema: schema === undefined ? null : unquoted(schema),
    table: unquoted(table),
    columns: chosen,
    limit: limit === undefined ? null : Number(limit),
    offset: Number(offset ?? 0),
  };
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}
