/** What a dataset holds, for people. */

import type { OpenedTable } from "../api/open.js";
import { printable } from "../display/printable.js";
import type { Dataset, DatasetContainer, Format } from "../model/dataset.js";
import { thousands } from "./context.js";
import { storageOf, storageText } from "./storage.js";
import { type TableOutline, tableOutline } from "./table-outline.js";
import { bytesText, tableBytes } from "./table-size.js";
import { type TextTableOptions, textTable } from "./text-table.js";

const FORMATS: Readonly<Record<Format, string>> = {
  anndata: "AnnData",
  mudata: "MuData",
  "10x": "10x Genomics",
  bpcells: "BPCells",
  loom: "Loom",
  matlab: "MATLAB",
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

/** How many columns of a table are spelled out. */
const COLUMNS = 40;

export async function inspectText(dataset: Dataset<OpenedTable>, options: TextTableOptions = {}): Promise<string> {
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
  const notes = [stored, failures].filter((lines) => lines.length > 0).map((lines) => `\n${lines.join("")}`);
  return `${header(dataset)}\n\n${tables.length === 0 ? "no tables\n" : body}${notes.join("")}`;
}

function header({ source, format, version, container, shape }: Dataset<OpenedTable>): string {
  const what = `${FORMATS[format]}${version === "" ? "" : ` ${version}`} in ${CONTAINERS[container]}`;
  const size = shape === null ? "" : `, ${thousands(shape[0])} x ${thousands(shape[1])}`;
  return printable(`${source}: ${what}${size}`);
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
