/**
 * Writes CSV and TSV with RFC 4180 quoting, a header, and LF line ends. A null becomes an empty field, and an empty
 * text becomes `""`.
 */

import { DataType, type RecordBatch } from "apache-arrow";
import { createCellFormatter, isFlat } from "../../arrow/apache/cell-text.js";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { checkOptions, type NamesOf } from "../../model/option-names.js";
import type { ColumnTableInput } from "../../tables/given/arrow-column-table.js";
import { encodeInputTable, SINK_OPTIONS, type SinkOptions, streamBatches } from "../stream.js";

export interface CsvOptions extends SinkOptions {
  /** `,` by default; `\t` for TSV. */
  readonly delimiter?: string;
  /** `json` writes lists, structs and maps as JSON in one field. By default, such columns are an error. */
  readonly nested?: "json";
  /**
   * Whether to write a `'` before text (including column names) that begins with `=`, `+`, `-`, `@`, a tab or a line
   * end and is not a number, because spreadsheets execute such text as a formula. False by default, because other
   * programs read the `'` literally.
   */
  readonly safeText?: boolean;
}

const PIECE = 65536;

const CSV_OPTIONS = {
  ...SINK_OPTIONS,
  delimiter: true,
  nested: true,
  safeText: true,
} as const satisfies NamesOf<CsvOptions>;

/**
 * Writes `table` as delimited text.
 * @param table a dataset's table, an apache-arrow `Table`, a schema with a stream of batches, or any other table that
 * `write` accepts.
 * @throws {InvalidInputError} for a nested column without `nested`, and for an option that does not exist.
 */
export function csv(table: ColumnTableInput, options: CsvOptions = {}): AsyncGenerator<Uint8Array> {
  checkOptions(options, "csv", CSV_OPTIONS);
  return encodeInputTable(table, (given) => encodeCsv(given, options));
}

/** `csv` with internal options, which are not checked. */
export async function* encodeCsv(table: DataTable, options: CsvOptions = {}): AsyncGenerator<Uint8Array> {
  const { delimiter = ",", safeText = false } = options;
  const form: TextForm = { delimiter, safeText };
  for (const field of table.schema.fields) {
    if (isFlat(field.type) || options.nested !== undefined) continue;
    const layouts = table.layouts.filter((layout) => layout === "columns" || layout === "coordinate");
    const choice = layouts.length === 0 ? "" : `, or choose another layout (--layout ${layouts.join(" or ")})`;
    throw new InvalidInputError(
      `column "${field.name}" is ${short(field.type)}, which a line of text cannot hold; write .parquet or .arrow${choice}`,
      { element: table.name },
    );
  }
  const encoder = new TextEncoder();
  yield encoder.encode(`${table.schema.fields.map((field) => quoted(field.name, form)).join(delimiter)}\n`);
  for await (const batch of streamBatches(table, options)) {
    for (const piece of lines(batch, form)) yield encoder.encode(piece);
  }
}

interface TextForm {
  readonly delimiter: string;
  readonly safeText: boolean;
}

function* lines(batch: RecordBatch, form: TextForm): Generator<string> {
  const cells = batch.data.children.map((data) => {
    const text = createCellFormatter(data);
    const values = DataType.isDictionary(data.type) ? data.type.dictionary : data.type;
    return DataType.isUtf8(values) || DataType.isLargeUtf8(values) || !isFlat(values)
      ? (row: number) => quotedOrNull(text(row), form)
      : (row: number) => text(row) ?? "";
  });
  let out = "";
  for (let row = 0; row < batch.numRows; row++) {
    for (let i = 0; i < cells.length; i++) out += i === 0 ? cells[i](row) : form.delimiter + cells[i](row);
    out += "\n";
    if (out.length > PIECE) {
      yield out;
      out = "";
    }
  }
  if (out !== "") yield out;
}

const quotedOrNull = (text: string | null, form: TextForm) => (text === null ? "" : quoted(text, form));

/** Text that a spreadsheet may execute as a formula, and numbers as text, which are not executed. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function quoted(given: string, { delimiter, safeText }: TextForm): string {
  const text = safeText && FORMULA.test(given) && !NUMBER.test(given) ? `'${given}` : given;
  const plain = text !== "" && !/["\r\n]/.test(text) && !text.includes(delimiter);
  return plain ? text : `"${text.replaceAll('"', '""')}"`;
}

function short(type: DataType): string {
  const text = String(type);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
