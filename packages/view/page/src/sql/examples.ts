/** Example statements for the file. */

import type { ViewDescription, ViewTable } from "annarrow/view";
import { columnKind } from "../table/column-kind.js";
import { quoted } from "../table/filters.js";

export interface Example {
  readonly label: string;
  readonly sql: string;
}

export function examplesFor({ tables }: Pick<ViewDescription, "tables">): readonly Example[] {
  const obs = tables.find(({ name }) => name === "obs");
  const has = (name: string) => tables.some((table) => table.name === name);
  const category = obs === undefined ? null : first(obs, "category");
  const number = obs === undefined ? null : first(obs, "number");
  const found: Example[] = [];
  if (category !== null) {
    found.push({
      label: `Cells by ${category}`,
      sql: `select ${name(category)}, count(*) as cells\nfrom obs\ngroup by 1\norder by cells desc`,
    });
    if (number !== null) {
      found.push({
        label: `${number} by ${category}`,
        sql: `select ${name(category)}, avg(${name(number)}) as mean, median(${name(number)}) as median\nfrom obs\ngroup by 1\norder by mean desc`,
      });
    }
  }
  if (number !== null) {
    found.push({
      label: `Cells with most ${number}`,
      sql: `select row, *\nfrom obs\norder by ${name(number)} desc\nlimit 100`,
    });
  }
  if (has("X") && has("obs")) {
    found.push({
      label: "Sum of values by cell",
      sql: "select row, sum(value) as total, count(*) as entries\nfrom X\ngroup by row\norder by row",
    });
  }
  if (has("X") && has("obs") && has("var")) {
    const index = tables.find((table) => table.name === "var")?.index ?? null;
    const label = index === null ? "col" : name(index);
    found.push({
      label: "Genes by number of cells",
      sql: `select ${label}, count(*) as cells, sum(value) / (select count(*) from obs) as mean\nfrom X join var using (col)\ngroup by all\norder by cells desc\nlimit 50`,
    });
  }
  found.push({ label: "All tables", sql: "show tables" });
  return found;
}

function first({ columns, index }: ViewTable, kind: "category" | "number"): string | null {
  return columns.find((column) => column.name !== index && columnKind(column.type) === kind)?.name ?? null;
}

function name(column: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(column) ? column : quoted(column);
}
