/** Writes tables as a MuData in any container, in the layout of mudata 0.1 to 0.4. */

import type { ColumnBatch } from "../../arrow/column.js";
import { createTextColumn, decodeTextValues } from "../../arrow/text.js";
import type { ContainerWriter, WrittenAttribute, WrittenAttributes } from "../../containers/tree/container-writer.js";
import { isAnnarrowError, locateBelow, UnsupportedElementError } from "../../model/errors.js";
import { VERSION } from "../../model/version.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { createIntegerAttribute, createTextAttribute, createTextsAttribute } from "../attributes.js";
import type { WriteRoot, WrittenTables } from "../context.js";

const FORMAT_VERSION = "0.1.0";

const WHOLE_MAPPINGS = ["obsm", "varm", "obsp", "varp", "uns", "obsmap", "varmap"];
const MODALITY_MAPPINGS = ["layers", "obsm", "varm", "obsp", "varp", "uns"];

/** First bytes of an `.h5mu` file, by which mudata recognizes the file. They precede HDF5's own bytes. */
export const USER_BLOCK = new TextEncoder().encode(
  `MuData (format-version=${FORMAT_VERSION};creator=annarrow;creator-version=${VERSION})`,
);

/**
 * Writes the tables of a MuData. The container is not closed. The top-level obs and var may be absent, because mudata
 * creates them from the modalities' obs and var.
 * @param writeRoot writes the parts that are stored as in AnnData: the top level, and each modality.
 * @throws {InvalidInputError} for names that are not elements of a MuData, and for the same reasons as `writeRoot`.
 */
export async function writeMuData(
  { root }: Pick<ContainerWriter, "root">,
  given: ReadonlyMap<string, ColumnTable>,
  writeRoot: WriteRoot,
): Promise<WrittenTables> {
  const { whole, modalities } = groupTablesByModality(given);
  const attributes = rootAttributes("MuData", FORMAT_VERSION, ["axis", createIntegerAttribute(sharedAxis(given))]);
  const layout = { attributes, mappings: WHOLE_MAPPINGS, needsFrames: false };
  const parts = [await writeRoot(root, whole, layout)];
  const mod = await root.group("mod", new Map([["mod-order", createTextsAttribute([...modalities.keys()])]]));
  for (const [name, tables] of modalities) {
    const path = `mod/${name}`;
    const group = await mod.group(name);
    const own = { attributes: rootAttributes("anndata", "0.1.0"), mappings: MODALITY_MAPPINGS, needsFrames: true };
    const { tables: written, warnings } = await writeRoot(group, tables, own).catch((error: unknown) => {
      if (!isAnnarrowError(error)) throw error;
      if (error.table !== undefined) error.table = `${path}/${error.table}`;
      throw locateBelow(error, path);
    });
    parts.push({ tables: written.map((table) => ({ ...table, name: `${path}/${table.name}` })), warnings });
  }
  return { tables: parts.flatMap(({ tables }) => tables), warnings: parts.flatMap(({ warnings }) => warnings) };
}

function rootAttributes(
  type: string,
  version: string,
  ...own: readonly (readonly [string, WrittenAttribute])[]
): WrittenAttributes {
  return new Map([
    ...own,
    ["encoding-type", createTextAttribute(type)],
    ["encoding-version", createTextAttribute(version)],
    ["encoder", createTextAttribute("annarrow")],
    ["encoder-version", createTextAttribute(VERSION)],
  ]);
}

/**
 * Returns the axis that the modalities share, from the metadata of a table in a MuData; by default the observations.
 */
function sharedAxis(tables: ReadonlyMap<string, ColumnTable>): number {
  for (const { metadata } of tables.values()) {
    const axis = metadata?.axis;
    if (axis === 0 || axis === 1 || axis === -1) return axis;
  }
  return 0;
}

export interface TablesByModality {
  readonly whole: ReadonlyMap<string, ColumnTable>;
  /** The tables of each modality. Modalities are in the order of their first tables. */
  readonly modalities: ReadonlyMap<string, ReadonlyMap<string, ColumnTable>>;
}

/** Elements that are allowed in a modality but not in the root. */
const MATRICES = /^(X|layers|raw)(\/|$)/;

/**
 * Groups tables by modality.
 * @throws {InvalidInputError} for names that are not elements of a MuData.
 */
function groupTablesByModality(tables: ReadonlyMap<string, ColumnTable>): TablesByModality {
  const whole = new Map<string, ColumnTable>();
  const modalities = new Map<string, Map<string, ColumnTable>>();
  for (const [name, table] of tables) {
    const [top, modality, ...rest] = name.split("/");
    if (top !== "mod") {
      if (MATRICES.test(name)) {
        throw new UnsupportedElementError(
          `a MuData has matrices in its modalities alone: name it mod/<modality>/${name}`,
          {
            element: name,
            table: name,
          },
        );
      }
      whole.set(name, table);
      continue;
    }
    if (!modality || rest.length === 0) {
      throw new UnsupportedElementError("no element of a modality: these are named mod/<modality>/<element>", {
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

/** Removes the modality's prefix from a table's name, and from the paths in a derived table. */
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
          return createTextColumn(decodeTextValues(column).map((text) => text && withoutPrefix(text, prefix)));
        });
        yield { ...batch, columns };
      }
    },
  };
}

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
