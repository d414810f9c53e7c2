/** The inputs of a union: datasets whose elements have AnnData's names, and their features. */

import { InvalidInputError, NotFoundError } from "annarrow";
import { toAnnDataTables } from "annarrow/core/api";
import type { Column } from "annarrow/core/arrow";
import { type ArrowField, describeArrowType } from "annarrow/core/arrow";
import { indexColumns } from "annarrow/core/concat";
import { findNearestNames, runWithLocation } from "annarrow/core/model";
import type { SourceIdentity } from "annarrow/core/query";
import type { ColumnTable } from "annarrow/core/tables";
import type { StoredOptions } from "annarrow/node/api";
import { openStored } from "annarrow/node/api";

/** Elements that the union reads from each input. */
export interface TakenElements {
  /** Element that becomes X: `X`, `layers/counts`, `raw/X`. */
  readonly main: string;
  /** Modality to read from MuData inputs; null if not specified. */
  readonly modality: string | null;
  /** Column of var that identifies features; null for the index. */
  readonly varKey: string | null;
}

export interface UnionInput {
  readonly source: string;
  readonly shape: readonly [observations: number, features: number];
  readonly tables: ReadonlyMap<string, ColumnTable>;
  readonly obs: ColumnTable;
  readonly var: ColumnTable;
  readonly warnings: readonly string[];
  /** Returns the identity of the input's version; null if versions cannot be distinguished. */
  identity(): Promise<SourceIdentity | null>;
  /** Returns the keys that identify features in the union, as text columns. */
  keys(): Promise<readonly Column[]>;
  /** @throws {InvalidDataError} if the input has changed since it was opened. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens an input.
 * @throws {InvalidInputError} for a dataset without its own observations or features, and for a MuData if `modality` is
 * not given.
 * @throws {NotFoundError} if the input does not contain the matrix.
 */
export async function openInput(path: string, taken: TakenElements, options: StoredOptions): Promise<UnionInput> {
  const dataset = await openStored(path, { ...options, companion: "off" });
  try {
    const { source } = dataset;
    return await runWithLocation({ source }, async () => {
      const { main, modality, varKey } = taken;
      const X = main === "X" ? undefined : main;
      const { tables, shape, warnings } = await toAnnDataTables(dataset, { lossy: false, modality, X });
      const [obs, vars] = [tables.get("obs"), tables.get("var")];
      if (obs === undefined || vars === undefined) {
        throw new InvalidInputError("a union is made of datasets with obs and var", { source });
      }
      const known = shape ?? [obs.rows, vars.rows];
      const [rows, features] = known;
      if (rows === null || features === null) throw new InvalidInputError("nothing tells its shape", { source });
      return {
        ...{ source, tables, obs, warnings },
        var: vars,
        shape: [rows, features],
        async identity() {
          const found = await dataset.companion?.identity({ signal: options.signal });
          return found === undefined || typeof found === "string" ? null : found;
        },
        keys: () => runWithLocation({ source, element: "var" }, () => keysIn(vars, varKey, options.signal)),
        checkUnchanged: () => dataset.checkUnchanged(),
        close: () => dataset.close(),
      };
    });
  } catch (error) {
    await dataset.close();
    throw error;
  }
}

async function keysIn(
  frame: ColumnTable,
  column: string | null,
  signal: AbortSignal | undefined,
): Promise<readonly Column[]> {
  if (column === null) return indexColumns(frame, signal);
  const field = frame.fields.find(({ name }) => name === column);
  if (field === undefined) {
    const names = frame.fields.map(({ name }) => name);
    throw new NotFoundError(
      `no column ${JSON.stringify(column)}; did you mean ${findNearestNames(column, names).join(", ")}?`,
    );
  }
  if (!isText(field)) {
    throw new InvalidInputError(`the column ${JSON.stringify(column)} is ${describeArrowType(field.type)}, no text`);
  }
  const keys = await indexColumns(frame, signal, column);
  if (keys.some(({ validity }) => (validity?.nullCount ?? 0) > 0)) {
    throw new InvalidInputError(`a feature has no value in the column ${JSON.stringify(column)}`);
  }
  return keys;
}

function isText({ type }: ArrowField): boolean {
  return type.id === "Utf8" || (type.id === "Dictionary" && type.value.id === "Utf8");
}
