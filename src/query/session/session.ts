/**
 * Runs statements about one or more files, one at a time, in one DuckDB database. Supports names that refer to other
 * files, unions, table files, `gene` and `cells`, `show tables`, `describe`, and `copy`.
 */

import { OpenedDataset } from "../../api/opened-dataset.js";
import { MAX_POSITIONS } from "../../jobs/plan/minor-entries.js";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError, isAnnarrowError } from "../../model/errors.js";
import { findSimilarNames } from "../../model/nearest.js";
import { type DuckDBEngine, quoteSqlName, quoteSqlText } from "../../sinks/duckdb/engine.js";
import type { SinkOptions } from "../../sinks/stream.js";
import { answerStatement, explainStatement, type QueryOptions } from "../answer.js";
import { createExplanationTable } from "../explanation.js";
import { type AxisRanges, countRangePositions } from "../positions.js";
import type { TableRead } from "../reads.js";
import { applyReplacements, findRelationStarts, getQueryPrefix, type Replacement } from "../relations.js";
import { findUnknownFunction } from "../suggestions.js";
import { isName, keyword, parseQuotedText, parseSqlTokens, symbol, type Token } from "../tokens.js";
import {
  createShowTablesAnswer,
  dropTableRows,
  FILENAME,
  findDatasetsWithTable,
  findTableElement,
  getDuckDBTableNames,
  getQueryTables,
  type ListedTable,
  listNamingWarnings,
  listQueryTables,
  type QueryDatasets,
} from "./datasets.js";
import { detectStatementKind } from "./statements.js";
import type { OpenTableFile } from "./table-file.js";
import { createVectorQuery, isAlias, parseVectorCalls } from "./vectors.js";

export interface SessionOptions {
  /** Opens data files that a statement names instead of tables; null if files are not allowed. */
  readonly files: OpenTableFile | null;
  /** Opens an empty DuckDB. */
  readonly open: () => Promise<SessionEngine>;
}

/** A DuckDB engine. Every local file must be added to DuckDB-WASM. */
export type SessionEngine = DuckDBEngine & { readonly addFile?: (path: string) => void };

/** The rows of an answer, which can be read only once, and the output file of `copy`. */
export interface SessionAnswer {
  readonly rows: DataTable;
  readonly copy: { readonly file: string; readonly options: ReadonlyMap<string, string> } | null;
  /** Warnings about tables and columns whose names differ from those in the files. */
  readonly warnings: readonly string[];
}

/** DuckDB's message for a statement that names a file, if file access is disabled. */
const OUTSIDE = /file system operations are disabled/;

/** A statement in the form that is sent to DuckDB, with the tables from the files that it names. */
interface Prepared {
  readonly sql: string;
  readonly tables: ReadonlyMap<string, DataTable>;
}

export class Session {
  readonly #query: QueryDatasets;
  readonly #options: SessionOptions;
  #engine: SessionEngine | null = null;
  /** Names of the tables that were loaded for the previous statement. */
  readonly #loaded = new Set<string>();
  #opened: (() => Promise<void>)[] = [];
  /** Abort signal of the previous statement. */
  #signal: AbortSignal | undefined;

  constructor(query: QueryDatasets, options: SessionOptions) {
    this.#query = query;
    this.#options = options;
  }

  /**
   * Runs a statement. The rows of the previous answer can no longer be read.
   * @throws {InvalidInputError} with DuckDB's message, which lists the known names if a name is unknown.
   */
  async answer(sql: string, options: SinkOptions = {}): Promise<SessionAnswer> {
    const kind = detectStatementKind(sql);
    switch (kind.kind) {
      case "tables":
        return { rows: createShowTablesAnswer(this.#query), copy: null, warnings: [] };
      case "copy": {
        const { file, options: how } = kind;
        return { ...(await this.#answer(kind.sql, false, options)), copy: { file, options: how } };
      }
      case "describe":
        return { ...(await this.#answer(sql, true, options)), copy: null };
      case "other":
        return { ...(await this.#answer(sql, false, options)), copy: null };
      default:
        kind satisfies never;
        throw new TypeError("unknown kind of statement");
    }
  }

  knownTables(): readonly ListedTable[] {
    return listQueryTables(this.#query);
  }

  /** Explains what a statement reads, and why. */
  async explain(sql: string, options: SinkOptions = {}): Promise<DataTable> {
    const { all, statement, engine } = await this.#begin(sql, options);
    const reads = await explainStatement(all, statement, engine, { ...options, ...this.#keeping });
    return createExplanationTable(await Promise.all(reads.map((read) => withCompanion(read, this.#query))));
  }

  /** Removes the previous statement's tables. Prepares the tables, the text and the engine for `sql`. */
  async #begin(sql: string, { signal }: SinkOptions) {
    await this.#forget();
    this.#signal = signal;
    this.#engine ??= await this.#options.open();
    const prepared = await this.#prepared(sql, this.#engine, signal);
    return {
      all: getQueryTables(this.#query, prepared.tables),
      statement: prepared.sql,
      engine: this.#noting(this.#engine),
    };
  }

  /** @param isRowless whether the statement needs only the types of columns, and no rows. */
  async #answer(sql: string, isRowless: boolean, options: SinkOptions): Promise<Omit<SessionAnswer, "copy">> {
    const { all, statement, engine } = await this.#begin(sql, options);
    try {
      const rows = await answerStatement(isRowless ? dropTableRows(all) : all, statement, engine, {
        ...options,
        ...this.#keeping,
      });
      return { rows, warnings: listNamingWarnings(this.#query, statement) };
    } catch (error) {
      if (!isAnnarrowError(error, "InvalidInputError")) throw error;
      if (OUTSIDE.test(error.problem)) {
        throw new InvalidInputError("a statement may read files only with --files", { cause: error });
      }
      const called = findUnknownFunction(error.problem);
      const meant = called === null ? [] : findSimilarNames(called, ["gene", "cells"]);
      if (meant.length === 0) throw error;
      throw new InvalidInputError(`${error.problem} Did you mean ${meant.join(" or ")}?`, { cause: error });
    }
  }

  /** Returns where DuckDB caches tables, if the files have such a location. */
  get #keeping(): Pick<QueryOptions, "keptAt"> {
    if (this.#query.datasets.every((named) => named.keptAt === undefined)) return {};
    return {
      keptAt: (table) => {
        const found = findTableElement(this.#query, table);
        return found?.named.keptAt?.(found.element) ?? null;
      },
    };
  }

  /** Removes the tables and files of the previous statement. */
  async #forget(): Promise<void> {
    const isCancelled = this.#signal?.aborted === true && this.#engine?.outlivesCancel !== true;
    if (isCancelled || this.#engine?.hasFailed === true) await this.#end();
    for (const name of this.#loaded) await this.#engine?.drop(name);
    this.#loaded.clear();
    for (const close of this.#opened.splice(0)) await close();
  }

  /**
   * Ends the engine. A busy DuckDB-WASM would first finish its statement, so it is not closed but left to the garbage
   * collector.
   */
  async #end(): Promise<void> {
    const engine = this.#engine;
    const isBusy = engine?.kind === "wasm" && this.#signal?.aborted === true;
    this.#engine = null;
    this.#loaded.clear();
    if (isBusy) await engine?.abandon?.();
    else await engine?.close();
  }

  /** Wraps the engine so that it records the names of the tables that it loads. */
  #noting(engine: DuckDBEngine): DuckDBEngine {
    return {
      kind: engine.kind,
      load: (table, options) => {
        this.#loaded.add(table.name);
        return engine.load(table, options);
      },
      isKept: (place) => engine.isKept(place),
      loadKept: (table, place, options) => {
        this.#loaded.add(table.name);
        return engine.loadKept(table, place, options);
      },
      drop: (name) => engine.drop(name),
      query: (sql, signal) => engine.query(sql, signal),
      explain: (sql, signal) => engine.explain(sql, signal),
      run: (sql, signal) => engine.run(sql, signal),
      close: () => engine.close(),
    };
  }

  async #prepared(sql: string, engine: SessionEngine, signal: AbortSignal | undefined): Promise<Prepared> {
    const tables = new Map<string, DataTable>();
    const vectors = await this.#vectors(sql, signal);
    const files = await this.#files(vectors, engine, tables, signal);
    return { sql: this.#union(this.#named(files)), tables };
  }

  /** Replaces `gene` and `cells` with queries on a matrix. */
  async #vectors(sql: string, signal: AbortSignal | undefined): Promise<string> {
    const tokens = parseSqlTokens(sql);
    const replacements: Replacement[] = [];
    for (const call of parseVectorCalls(tokens)) {
      const { datasets, union } = this.#query;
      const meant = call.file === null ? datasets : datasets.filter(({ name }) => name.toLowerCase() === call.file);
      if (meant.length !== 1 && !(union && call.file === null)) {
        const names = datasets.map(({ name }) => `${name}.${call.function}`).join(", ");
        throw new InvalidInputError(`which file is meant? write ${names}`);
      }
      const queries: string[] = [];
      for (const named of meant) {
        const names = getDuckDBTableNames(this.#query, named);
        const query = await createVectorQuery(named.dataset, call, (name) => names.get(name) ?? name, signal);
        queries.push(
          union ? query.replace("select ", () => `select ${quoteSqlText(named.path)} as ${FILENAME}, `) : query,
        );
      }
      const from = getQueryPrefix(tokens, call.start);
      const text = `${from}(${queries.join(" union all by name ")})${call.isNamed ? "" : ` as ${call.function}`}`;
      replacements.push({ start: tokens[call.start].start, end: tokens[call.end - 1].end, text });
    }
    return applyReplacements(sql, replacements);
  }

  /**
   * Replaces file names that are used instead of tables. Files that DuckDB cannot read itself are added to `tables`.
   */
  async #files(
    sql: string,
    engine: SessionEngine,
    tables: Map<string, DataTable>,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const tokens = parseSqlTokens(sql);
    const replacements: Replacement[] = [];
    for (const at of findRelationStarts(tokens)) {
      const { start, end } = tokens[at];
      const path = parseQuotedText(tokens[at]);
      if (path === null) continue;
      if (this.#options.files === null) {
        throw new InvalidInputError("a statement may name files only with --files", { source: path });
      }
      const file = await this.#options.files(path, signal);
      let table = quoteSqlName(path);
      if (file.kind === "csv") {
        engine.addFile?.(path);
        table = `read_csv(${quoteSqlText(path)}${file.delimiter === null ? "" : `, delim = ${quoteSqlText(file.delimiter)}`})`;
      } else {
        tables.set(path, file.table);
        this.#opened.push(file.close);
      }
      const alias = isAlias(tokens[at + 1]) ? "" : ` as ${quoteSqlName(stem(path))}`;
      replacements.push({ start, end, text: `${getQueryPrefix(tokens, at)}${table}${alias}` });
    }
    return applyReplacements(sql, replacements);
  }

  /** Replaces `file.table` with the table's name in DuckDB. */
  #named(sql: string): string {
    const known = (file: string, table: string) => {
      return findDatasetsWithTable(this.#query, table).find(({ name }) => name.toLowerCase() === file)?.inDuckDB;
    };
    return applyReplacements(sql, findQualifiedNames(parseSqlTokens(sql), known));
  }

  /** Adds the combined tables of all files at the beginning of a statement. Each has a column `filename`. */
  #union(sql: string): string {
    if (!this.#query.union) return sql;
    const tokens = parseSqlTokens(sql);
    const expressions = new Map<string, string>();
    for (const at of findRelationStarts(tokens)) {
      const { kind, text } = tokens[at];
      const name = text.toLowerCase();
      if (kind === "literal" || expressions.has(name) || symbol(tokens[at + 1]) === "(") continue;
      const found = findDatasetsWithTable(this.#query, name);
      if (found.length === 0) continue;
      const parts = found.map(
        (named) => `select ${quoteSqlText(named.path)} as ${FILENAME}, * from ${quoteSqlName(named.inDuckDB)}`,
      );
      expressions.set(
        name,
        `${quoteSqlName(found[0].table)} as not materialized (${parts.join(" union all by name ")})`,
      );
    }
    return expressions.size === 0 ? sql : applyReplacements(sql, [withExpressions(tokens, [...expressions.values()])]);
  }

  async close(): Promise<void> {
    for (const close of this.#opened.splice(0)) await close();
    await this.#end();
  }
}

/** Returns the name of a file without its folder and extension. */
const stem = (path: string) => (path.split(/[/\\]/).at(-1) ?? path).replace(/(?!^)\.[^.]*$/, "");

// Determines which reads of a statement are answered from a companion, for explanations.

/** Adds a reason to a read of few positions if a companion stores the matrix along these positions. */
async function withCompanion(read: TableRead, query: QueryDatasets): Promise<TableRead> {
  // Looking for a companion on the web requires requests.
  if (read.named.entries === null || !(isFew(read.row) || isFew(read.col))) return read;
  const found = findTableElement(query, read.named.table.name);
  if (found === null || !(found.named.dataset instanceof OpenedDataset)) return read;
  const copy = await found.named.dataset.companion?.copyOf(found.element);
  if (!copy || !isFew(copy.order === "row" ? read.row : read.col)) return read;
  return { ...read, reasons: [...read.reasons, `from the companion ${copy.name}`] };
}

function isFew(positions: AxisRanges | null): boolean {
  const count = positions === null ? 0 : countRangePositions(positions);
  return count > 0 && count <= MAX_POSITIONS;
}

// Names that refer to tables in several files: `pbmc.obs` in a statement is the DuckDB table `pbmc.obs`.

const fold = (name: string) => name.toLowerCase();

/**
 * Replaces `file.table` with the table's name, both in place of a table and as a column's qualifier.
 * @param known finds the table for a file and a name, both in lower case; undefined if there is none.
 */
function findQualifiedNames(
  tokens: readonly Token[],
  known: (file: string, table: string) => string | undefined,
): readonly Replacement[] {
  const starts = findRelationStarts(tokens);
  const found: Replacement[] = [];
  for (const [i, token] of tokens.entries()) {
    const table = tokens[i + 2];
    if (
      !isName(token) ||
      symbol(tokens[i + 1]) !== "." ||
      table === undefined ||
      !isName(table) ||
      symbol(tokens[i - 1]) === "."
    )
      continue;
    if (!starts.has(i) && symbol(tokens[i + 3]) !== ".") continue;
    const name = known(fold(token.text), fold(table.text));
    if (name !== undefined) found.push({ start: token.start, end: table.end, text: quoteSqlName(name) });
  }
  return found;
}

/** Words before the actual query of a statement, as in `explain` and `create table t as`. */
const HEADS = new Set(["explain", "analyze", "summarize", "describe", "desc"]);
const QUERIES = new Set(["select", "from", "values", "pivot", "unpivot", "table", "with"]);

/**
 * Adds common table expressions before the query in a statement.
 * @param expressions each in the form `name as (query)`.
 */
function withExpressions(tokens: readonly Token[], expressions: readonly string[]): Replacement {
  const list = expressions.join(", ");
  const head = HEADS.has(keyword(tokens[0])) ? tokens.findIndex((token) => !HEADS.has(keyword(token))) : 0;
  const at =
    head > 0
      ? head
      : Math.max(
          0,
          tokens.findIndex((token) => QUERIES.has(keyword(token))),
        );
  const first = tokens[at];
  if (keyword(first) === "with") {
    const recursive = keyword(tokens[at + 1]) === "recursive" ? tokens[at + 1] : first;
    return { start: recursive.end, end: recursive.end, text: ` ${list},` };
  }
  // `summarize obs` takes either a name or a query.
  const isTable = head > 0 && !QUERIES.has(keyword(first)) && symbol(first) !== "(";
  return { start: first.start, end: first.start, text: `with ${list} ${isTable ? "from " : ""}` };
}
