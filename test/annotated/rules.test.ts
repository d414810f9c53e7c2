/** What the rules say that a format holds is what its conversion keeps. */

import { expect, test } from "vitest";
import { convertedTables } from "../../src/annotated/converted.js";
import { annotatedFormat } from "../../src/annotated/formats.js";
import { type ArrowField, INT32, UTF8 } from "../../src/arrow/type.js";
import type { Format } from "../../src/dataset.js";
import type { ColumnTable } from "../../src/tables/column-table.js";

function table(name: string, fields: readonly ArrowField[], metadata: ColumnTable["metadata"] = null): ColumnTable {
  return {
    ...{ name, fields, metadata, rows: 3, derived: false, repeatable: true, layouts: [] },
    schemaMetadata: new Map<string, string>(),
    layout: () => Promise.reject(new TypeError("one layout")),
    async *batches() {
      yield { length: 0, columns: [] };
    },
  };
}

const field = (name: string, type: ArrowField["type"]): ArrowField => ({ name, type, nullable: false });

/** A table of each element that the view knows. */
function element(name: string): ColumnTable {
  if (name === "fragments") return table(name, [field("chr", UTF8)], { kind: "fragments" });
  if (/^(obs|var|raw\/var)$/.test(name))
    return table(name, [field("_index", UTF8)], { kind: "dataframe", index: "_index" });
  const coordinates = [field("row", INT32), field("col", INT32), field("value", INT32)];
  return table(name, coordinates, { kind: "csr_matrix", shape: [3, 3], order: "row" });
}

const names = (rule: string) => rule.split(", ").map((name) => name.replace("*", "one"));

test.each<Format>(["bpcells", "anndata", "10x"])("%s", async (format) => {
  const { rules, title } = await annotatedFormat(format);
  // Some table of the format is there in any case.
  const always = format === "10x" ? "fragments" : "X";
  for (const { annotated, own } of rules) {
    for (const name of names(annotated)) {
      const tables = new Map([always, name].map((one) => [one, element(one)]));
      const source: Format = format === "anndata" ? "10x" : "anndata";
      const converted = await convertedTables({ format: source, tables, shape: null }, format, { lossy: true });
      const lost = converted.warnings.includes(`left out: ${name}: ${title} has no place for it`);
      expect(lost, name).toBe(own === null);
      if (own !== null) expect([...converted.tables.keys()], name).toContain(own.replace("*", "one"));
    }
  }
});
