/** The tables of a MuData: those of the whole, and those of each modality under the names that they have in it. */

import type { ColumnBatch } from "../../arrow/column.js";
import { textColumnOf, textValues } from "../../arrow/text.js";
import { RefusedError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";

export interface Parts {
  readonly whole: ReadonlyMap<string, ColumnTable>;
  /** In the order in which their first tables come. */
  readonly modalities: ReadonlyMap<string, ReadonlyMap<string, ColumnTable>>;
}

/** What a modality has, and the whole has not. */
const MATRICES = /^(X|layers|raw)(\/|$)/;

/** @throws {InvalidInputError} for names that are no elements of a MuData. */
export function partsOf(tables: ReadonlyMap<string, ColumnTable>): Parts {
  const whole = new Map<string, ColumnTable>();
  const modalities = new Map<string, Map<string, ColumnTable>>();
  for (const [name, table] of tables) {
    const [top, modality, ...rest] = name.split("/");
    if (top !== "mod") {
      if (MATRICES.test(name)) {
        throw new RefusedError(`a MuData has matrices in its modalities alone: name it mod/<modality>/${name}`, {
          element: name,
          table: name,
        });
      }
      whole.set(name, table);
      continue;
    }
    if (!modality || rest.length === 0) {
      throw new RefusedError("no element of a modality: these are named mod/<modality>/<element>", {
        element: name,
        table: name,
      });
    }
    const own = modalities.get(modality) ?? new Map<string, ColumnTable>();
    modalities.set(modality, own);
    const inner = rest.join("/");
    own.set(inner, ofModality({ ...table, name: inner }, `mod/${modality}/`));
  }
  return { whole, modalities };
}

/** A table of nodes lists them by their names in the modality, too. */
function ofModality(table: ColumnTable, prefix: string): ColumnTable {
  const { name } = table;
  const layout: ColumnTable["layout"] = async (wanted) => ofModality({ ...(await table.layout(wanted)), name }, prefix);
  const path = table.derived ? table.fields.findIndex((field) => field.name === "path") : -1;
  if (path < 0) return { ...table, layout };
  return {
    ...table,
    layout,
    async *batches(options): AsyncGenerator<ColumnBatch> {
      for await (const batch of table.batches(options)) {
        const columns = batch.columns.map((column, i) => {
          if (i !== path || column.layout !== "variable") return column;
          return textColumnOf(textValues(column).map((text) => text && withoutPrefix(text, prefix)));
        });
        yield { ...batch, columns };
      }
    },
  };
}

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
