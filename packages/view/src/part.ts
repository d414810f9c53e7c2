/** The part of a dataset that the page saves, and the file in which it is saved. */

import type { AxisSelector, Dataset } from "annarrow";
import { InvalidInputError, writeBytes } from "annarrow";
import { readAxisLength } from "annarrow/core/api";
import { toSqlTable } from "annarrow/core/query";
import { PlannedTable } from "annarrow/core/tables";
import { DataType, type Utf8 } from "apache-arrow";
import { encodeAnswerRows } from "./encoded-rows.js";
import { createRowsStatement } from "./positions.js";
import { getShownElement } from "./shown-tables.js";
import type { Chosen, FileRequest, RowsFormat, SavedFormat, SaveRequest } from "./view-request.js";

/** A part to be saved. It reads from its dataset, which must stay open. */
export interface ViewPart {
  /** Name of the file, without a folder. */
  readonly fileName: string;
  /** Media type. */
  readonly type: string;
  readonly content:
    | { readonly kind: "store"; readonly format: "h5ad" | "zarr.zip"; readonly dataset: Dataset }
    | { readonly kind: "stream"; readonly chunks: AsyncIterable<Uint8Array> };
}

const TYPES: Readonly<Record<SavedFormat, string>> = {
  h5ad: "application/x-hdf5",
  "zarr.zip": "application/zip",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.file",
  csv: "text/csv; charset=utf-8",
  names: "text/plain; charset=utf-8",
};

export interface PartReading {
  readonly signal: AbortSignal;
  /** Runs a statement on the dataset, and returns the result as a file. */
  readonly statement: (sql: string, format: RowsFormat) => AsyncIterable<Uint8Array>;
}

/**
 * Returns the subset, rows or result that a save request describes. As in anndata, categories are dropped if no
 * selected cell has them.
 * @throws {NotFoundError} for unknown names and tables.
 * @throws {InvalidInputError} for a mask whose length differs from its axis, and for positions outside the axis.
 */
export async function createViewPart(dataset: Dataset, request: FileRequest, reading: PartReading): Promise<ViewPart> {
  const answered = (name: string, sql: string, format: RowsFormat): ViewPart => ({
    fileName: `${stemOf(request.input)}-${toSafeFileName(name)}.${format}`,
    type: TYPES[format],
    content: { kind: "stream", chunks: reading.statement(sql, format) },
  });
  switch (request.call) {
    case "save":
      return chosenPart(dataset, request, reading.signal);
    case "save-rows": {
      const element = getShownElement(dataset, request.table);
      const table = toSqlTable(dataset.table(element), request.table);
      return answered(request.table, createRowsStatement(table, request), request.format);
    }
    case "save-answer":
      return answered("answer", request.sql, request.format);
    default:
      return request satisfies never;
  }
}

async function chosenPart(dataset: Dataset, request: SaveRequest, signal: AbortSignal): Promise<ViewPart> {
  const { format } = request;
  const element = getShownElement(dataset, request.element ?? "obs");
  const part = await chosen(dataset, request, signal);
  const type = TYPES[format];
  const stem = stemOf(request.input);
  switch (format) {
    case "h5ad":
    case "zarr.zip":
      return { fileName: `${stem}-part.${format}`, type, content: { kind: "store", format, dataset: part } };
    case "names":
      return { fileName: `${stem}-cells.txt`, type, content: { kind: "stream", chunks: names(part, signal) } };
    case "parquet":
    case "arrow":
    case "csv": {
      const fileName = `${stem}-${toSafeFileName(element)}.${format}`;
      return {
        fileName,
        type,
        content: { kind: "stream", chunks: encodeAnswerRows(part.table(element), format, { signal }) },
      };
    }
    default:
      return format satisfies never;
  }
}

/** Returns the bytes of a part. A store is built in memory. */
export async function* encodeViewPart({ content }: ViewPart, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (content.kind === "stream") return yield* content.chunks;
  yield await writeBytes(content.format, content.dataset, { signal });
}

async function chosen(dataset: Dataset, request: SaveRequest, signal: AbortSignal): Promise<Dataset> {
  const obs = request.obs === undefined ? null : await selectorOf(dataset, "obs", request.obs);
  const variables = request.var === undefined ? null : await selectorOf(dataset, "var", request.var);
  if (obs === null && variables === null) return dataset;
  // Unused categories can be dropped only if all tables come from one store.
  const dropUnused = [...dataset.tables.values()].every((table) => table instanceof PlannedTable);
  return dataset.select({
    obs: obs ?? undefined,
    var: variables ?? undefined,
    dropUnused,
    signal,
  });
}

async function selectorOf(dataset: Dataset, called: "obs" | "var", chosen: Chosen): Promise<AxisSelector> {
  if ("names" in chosen) return chosen.names;
  if ("positions" in chosen) return chosen.positions;
  return decodeMaskPositions(chosen.mask, await readAxisLength(dataset, called), called);
}

/**
 * Returns the positions of the bits that are set.
 * @throws {InvalidInputError} for a mask that does not have one bit per position, padded with zeros to whole bytes.
 */
function decodeMaskPositions(mask: string, length: number, called: string): Int32Array {
  const bytes = fromBase64(mask);
  if (bytes.length !== Math.ceil(length / 8)) {
    throw new InvalidInputError(
      `the mask of ${called} has ${bytes.length} bytes, ${length} positions need ${Math.ceil(length / 8)}`,
    );
  }
  let count = 0;
  for (const byte of bytes) for (let bits = byte; bits !== 0; bits &= bits - 1) count++;
  const positions = new Int32Array(count);
  let at = 0;
  for (const [i, byte] of bytes.entries()) {
    for (let bit = 0; bit < 8; bit++) if (((byte >> bit) & 1) === 1) positions[at++] = i * 8 + bit;
  }
  const last = positions.at(-1) ?? 0;
  if (last >= length) throw new InvalidInputError(`the mask of ${called} has position ${last}, there are ${length}`);
  return positions;
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch (cause) {
    throw new InvalidInputError("the mask is no base64", { cause });
  }
}

/** Yields the cell names, one per line, as they are read. */
async function* names(part: Dataset, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const some of nameLists(part, signal)) {
    const broken = some.find((name) => /[\r\n]/.test(name));
    if (broken !== undefined) {
      throw new InvalidInputError(
        `the name ${JSON.stringify(broken)} is longer than one line: save the table obs as CSV`,
      );
    }
    if (some.length > 0) yield encoder.encode(`${some.join("\n")}\n`);
  }
}

async function* nameLists(part: Dataset, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const obs = part.tables.get("obs");
  const index = obs?.metadata.kind === "dataframe" ? obs.metadata.index : undefined;
  const field = obs?.schema.fields.find(({ name }) => name === index);
  if (obs !== undefined && field !== undefined && DataType.isUtf8(field.type)) {
    for await (const batch of obs.batches({ columns: [field.name], batchBytes: NAMES_BYTES, signal })) {
      yield Array.from(batch.getChildAt<Utf8>(0) ?? [], (name) => name ?? "");
    }
    return;
  }
  const all = await part.obsNames({ signal });
  if (all === null) throw new InvalidInputError("the cells have no names");
  for (let at = 0; at < all.length; at += NAMES) yield all.slice(at, at + NAMES);
}

/** Maximum number of bytes that are read at once for names. */
const NAMES_BYTES = 2 ** 20;

/** Number of names per chunk. */
const NAMES = 10_000;

/** Returns the name of an input without its folders and extensions. */
function stemOf(input: string): string {
  const last = input.split(/[/\\]/).findLast((segment) => segment !== "") ?? "";
  return toSafeFileName(last.replace(/(?!^)\.(zarr\.zip|[^.]*)$/i, ""));
}

/**
 * Returns a name that every file system accepts. Control and bidirectional characters are removed, because they could
 * disguise the name.
 */
function toSafeFileName(text: string): string {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "")
    .replace(/[/\\:*?"<>|%]+/g, "-")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  return [...plain].slice(0, 80).join("") || "data";
}
