/** Describes a dataset's content, as text and as JSON. */

import type { OpenedTable } from "../../api/opened-dataset.js";
import type { CompanionState } from "../../companion/dataset-companion.js";
import { printable } from "../../display/plain.js";
import type { DatasetContainer, Format, TableSet } from "../../model/dataset.js";
import { thousands } from "../context/context.js";
import {
  bytesText,
  storageOf,
  storageText,
  type TableOutline,
  tableBytes,
  tableOutline,
} from "../tables/table-outline.js";
import { type TextTableOptions, textTable } from "../tables/text-table.js";

const FORMATS: Readonly<Record<Format, string>> = {
  anndata: "AnnData",
  mudata: "MuData",
  "10x": "10x Genomics",
  bpcells: "BPCells",
  loom: "Loom",
  matlab: "MATLAB",
  r: "R",
  h5seurat: "h5Seurat",
  tables: "tables",
};

const CONTAINERS: Readonly<Record<DatasetContainer, string>> = {
  hdf5: "HDF5",
  zarr2: "Zarr v2",
  zarr3: "Zarr v3",
  directory: "a directory",
  rds: "RDS",
  parquet: "Parquet",
  arrow: "Arrow IPC",
  tsv: "tab-separated text",
  flight: "Arrow Flight",
};

/** Limit of columns listed per table. */
const COLUMNS = 40;

/** What `inspectText` shows beside the tables, and how. */
export interface InspectOptions extends TextTableOptions {
  readonly companion?: CompanionState | null;
}

export async function inspectText(
  dataset: TableSet<OpenedTable>,
  { companion = null, ...options }: InspectOptions = {},
): Promise<string> {
  const tables = await Promise.all([...dataset.tables.values()].map(tableOutline));
  const body = textTable(
    [
      { title: "table", align: "left" },
      { title: "kind", align: "left" },
      { title: "rows", align: "right" },
      { title: "size", align: "right" },
      { title: "columns", align: "left" },
    ],
    tables.map(tableRow),
    { width: 120, ...options },
  );
  const stored = tables.flatMap(({ name, metadata }) => {
    const storage = storageOf(metadata);
    return storage === null ? [] : [`${printable(`${name}: ${storageText(storage)}`)}\n`];
  });
  const failures = [...dataset.failures].map(
    ([name, error]) => `cannot be read: ${printable(`${name}: ${error.problem}`)}\n`,
  );
  const copies = companion === null ? [] : [`${printable(companionText(companion))}\n`];
  const notes = [stored, copies, failures].filter((lines) => lines.length > 0).map((lines) => `\n${lines.join("")}`);
  return `${header(dataset)}\n\n${tables.length === 0 ? "no tables\n" : body}${notes.join("")}`;
}

function header({ source, format, version, container, shape }: TableSet<OpenedTable>): string {
  const what = `${FORMATS[format]}${version === "" ? "" : ` ${version}`} in ${CONTAINERS[container]}`;
  const size = shape === null ? "" : `, ${thousands(shape[0])} x ${thousands(shape[1])}`;
  return printable(`${source}: ${what}${size}`);
}

function companionText({ name, elements, bytes, problem }: CompanionState): string {
  if (problem !== null) return `companion ${name}: not used, ${problem}`;
  return `companion ${name}: ${elements.join(", ")} by genes, ${bytesText({ size: bytes, estimated: false })}`;
}

function tableRow(table: TableOutline): string[] {
  const bytes = tableBytes(table);
  const { columns } = table;
  const shown = columns.slice(0, COLUMNS).map(({ name, short }) => `${name}: ${short}`);
  const more = columns.length > COLUMNS ? [`… ${thousands(columns.length - COLUMNS)} more`] : [];
  return [
    table.name,
    table.derived ? "contents" : table.metadata.kind,
    table.rows === null ? "?" : thousands(table.rows),
    bytes === null ? "?" : bytesText(bytes),
    [...shown, ...more].join(", "),
  ];
}

export async function inspectJson(dataset: TableSet<OpenedTable>, companion: CompanionState | null = null) {
  const { source, format, version, container, shape, warnings } = dataset;
  return {
    ...{ source, format, version, container, shape },
    tables: (await Promise.all([...dataset.tables.values()].map(tableOutline))).map(tableJson),
    failures: [...dataset.failures].map(([name, error]) => ({ name, error: error.tag, message: error.message })),
    warnings,
    companion,
  };
}

function tableJson(table: TableOutline) {
  const { name, rows, derived, axis, layouts, metadata } = table;
  const bytes = tableBytes(table);
  const storage = storageOf(metadata);
  return {
    name,
    kind: metadata.kind,
    rows,
    bytes: bytes === null ? null : Math.ceil(bytes.size),
    bytesAreEstimated: bytes?.estimated ?? null,
    ...{ derived, axis, layouts, metadata },
    ...(storage === null ? {} : { storage }),
    columns: table.columns.map(({ name, type, nullable, metadata }) => ({ name, type, nullable, metadata })),
  };
}
