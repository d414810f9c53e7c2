import { inspect } from "node:util";
import {
  Field,
  FixedSizeList,
  Float32,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromArrays,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, test } from "vitest";
import { displayDataset, displayTable, makeDisplayable } from "../../../src/api/display/display.js";
import { escapeHtml } from "../../../src/api/display/html.js";
import { renderDatasetText, renderTableText, truncateText } from "../../../src/api/display/plain.js";
import { open } from "../../../src/api/open.node.js";
import { withPositions } from "../../../src/api/table-functions.js";
import type { DataTable, TableSet } from "../../../src/model/dataset.js";
import { InvalidDataError } from "../../../src/model/errors.js";
import { datasetOf, tableOf } from "../../sinks/dataset-of.js";

const JUPYTER = Symbol.for("Jupyter.display");
const EVIL = `<script>alert("1")</script>&'\u001b[31m\u202e`;

/** What the object's own method gives. */
async function displayOf(object: object): Promise<Record<string, string>> {
  const method: unknown = Reflect.get(object, JUPYTER);
  if (typeof method !== "function") throw new TypeError("no method");
  return method.call(object);
}

describe("a file", () => {
  test("its dataset", async () => {
    const data = await open("examples/pbmc.h5ad");
    const text = inspect(data);
    expect(text.split("\n").slice(0, 2)).toEqual([
      "dataset examples/pbmc.h5ad (anndata 0.1.0, hdf5, 2700 × 800)",
      "  X                                 187,809 rows: row: Int32, col: Int32, value: Float32",
    ]);
    expect(inspect({ data })).toContain("dataset examples/pbmc.h5ad");
    const display = await displayOf(data);
    expect(display["text/plain"]).toBe(text);
    expect(display["text/html"]).toContain(
      "<td>X</td><td>187,809 rows</td><td>row: Int32, col: Int32, value: Float32</td>",
    );
    await data.close();
  });

  test("its tables", async () => {
    const data = await open("examples/pbmc.h5ad");
    const obs = data.table("obs");
    expect(inspect(data.table("X"))).toBe(
      "table X: 187,809 rows (csr_matrix, 2700 × 800, layouts coordinate, list, dense)\n  row: Int32\n  col: Int32\n  value: Float32",
    );
    const batch = await obs.read({ rows: [0, 5] });
    const { "text/html": html } = await displayOf(obs);
    expect(html.match(/<tr>/g)).toHaveLength(6);
    for (const name of batch.getChild("cell_type") ?? []) expect(html).toContain(`<td>${name}</td>`);
    expect(html).toContain("<th>cell_type<br><small>Dictionary&lt;Int8, Utf8&gt;</small></th>");
    const positioned = withPositions(obs);
    expect(inspect(positioned)).toContain("  row: Int32");
    expect((await displayOf(positioned))["text/html"]).toContain("<p>13 columns</p>");
    // A copy is another table.
    expect(JUPYTER in { ...positioned }).toBe(false);
    await data.close();
  });

  test("closed: the reason stands where the rows were", async () => {
    const data = await open("examples/pbmc.h5ad");
    await data.close();
    const { "text/html": html } = await displayOf(data.table("X"));
    expect(html).toMatch(/<li>row: Int32<\/li>.*no rows: /);
  });
});

describe("content that is not to be trusted", () => {
  test("is escaped wherever it stands", async () => {
    const values = vectorFromArray([EVIL, null], new Utf8());
    const table = tableOf(EVIL, new Table({ [EVIL]: values }), { kind: EVIL });
    const failure = new InvalidDataError(EVIL, { element: EVIL });
    const dataset = datasetOf([table], {
      source: EVIL,
      version: EVIL,
      failures: new Map([[EVIL, failure]]),
      warnings: [EVIL],
    });
    for (const { "text/html": html, "text/plain": text } of [
      await displayTable(table),
      await displayDataset(dataset),
    ]) {
      expect(html.match(/<(?!\/?(div|p|b|i|table|thead|tbody|tr|th|td|ul|li|small|br)>)/g)).toBeNull();
      expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;");
      for (const shown of [html, text]) expect(["\u001b", "\u202e"].filter((one) => shown.includes(one))).toEqual([]);
    }
    expect((await displayTable(table))["text/html"]).toContain("<td><i>null</i></td>");
  });

  test("every character that HTML gives a meaning", () => {
    expect(escapeHtml(`<a href='x' title="y">&amp;</a>`)).toBe(
      "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;&lt;/a&gt;",
    );
  });

  test("is cut", async () => {
    expect(truncateText("x".repeat(81))).toBe(`${"x".repeat(79)}…`);
    expect(truncateText("x".repeat(80))).toHaveLength(80);
    expect(truncateText(`${"x".repeat(78)}😀😀`)).toBe(`${"x".repeat(78)}…`);
    const columns = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`c${i}`, Int32Array.of(i)]));
    const wide = tableOf("wide", tableFromArrays(columns));
    const many = datasetOf(
      Array.from({ length: 1000 }, (_, i) => ({ ...wide, name: `t${i}` })),
      {
        warnings: Array.from({ length: 1000 }, (_, i) => `warning ${i}`),
      },
    );
    const { "text/html": html } = await displayTable(wide);
    expect(html).toContain("3000 columns");
    expect(html.match(/<td>/g)).toHaveLength(12);
    expect(renderTableText(wide)).toContain("  … 2976 more columns");
    expect(renderDatasetText(many)).toContain("  … 800 more tables");
    expect((await displayDataset(many))["text/html"].length).toBeLessThan(50_000);
  });
});

describe("no more than a few rows are read", () => {
  test("those of the first batch, of twelve columns", async () => {
    const asked: unknown[] = [];
    const columns = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`c${i}`, new Int32Array(1000)]));
    const table = tableOf("t", tableFromArrays(columns), { batchRows: 2 });
    await displayTable({
      ...table,
      batches: (options) => {
        asked.push(options?.rows, options?.columns?.length);
        return table.batches(options);
      },
    });
    expect(asked).toEqual([[0, 5], 12]);
  });

  test("a table that does not know its length", async () => {
    const data = await open("examples/pbmc.h5ad");
    const dense = await data.table("obsm/X_pca").layout("coordinate");
    expect(inspect(dense)).toContain(dense.rows === null ? "rows are not counted" : "rows");
    expect((await displayOf(dense))["text/html"]).toContain("<td>0</td>");
    await data.close();
  });

  test("values of many bytes are not made text", async () => {
    const type = new FixedSizeList(3_000_000, new Field("item", new Float32()));
    const child = makeData({ type: new Float32(), length: 6_000_000, nullCount: 0, data: new Float32Array(6_000_000) });
    const schema = new Schema([new Field("v", type), new Field("n", new Int32())]);
    const children = [
      makeData({ type, length: 2, nullCount: 0, child }),
      makeData({ type: new Int32(), data: Int32Array.of(7, 8) }),
    ];
    const struct = makeData({ type: new Struct(schema.fields), length: 2, nullCount: 0, children });
    const { "text/html": html } = await displayTable(tableOf("long", new Table([new RecordBatch(schema, struct)])));
    expect(html).toContain("<tr><td>…</td><td>7</td></tr>");
  });
});

describe("nothing throws", () => {
  const fine = tableOf("t", tableFromArrays({ a: Int32Array.of(1) }));
  const broken: DataTable = Object.defineProperty({ ...fine }, "schema", {
    get() {
      throw new Error("no schema");
    },
  });

  test("a table that fails", async () => {
    const failing = tableOf("t", tableFromArrays({ a: Int32Array.of(1) }), { failsAfter: 0 });
    expect((await displayTable(failing))["text/html"]).toContain("no rows: the file ends here");
    expect(renderTableText(broken)).toBe("table");
    expect(await displayTable(broken)).toEqual({ "text/plain": "table", "text/html": "<p>no HTML of this object</p>" });
    expect(inspect(makeDisplayable(broken))).toBe("table");
  });

  test("a dataset that fails, or holds what is no table", async () => {
    const other: TableSet<unknown> = { ...datasetOf([]), tables: new Map([["x", 7]]), table: () => 7 };
    expect(renderDatasetText(other)).toBe("dataset made.h5ad (anndata 0.1.0, hdf5, 3 × 2)\n  … 1 more tables");
    expect(renderDatasetText(datasetOf([broken]))).toBe("dataset");
    expect((await displayDataset(datasetOf([broken])))["text/html"]).toBe("<p>no HTML of this object</p>");
  });

  test("tables without rows and without columns", async () => {
    const none = await displayTable(tableOf("none", oneColumn(0)));
    expect(none["text/html"]).toContain("<tbody></tbody>");
    const bare = await displayTable(tableOf("bare", new Table(new Schema([]), [])));
    expect(bare["text/html"]).toContain("0 columns");
  });
});

function oneColumn(rows: number): Table {
  return tableFromArrays({ a: Int32Array.of(1) }).slice(0, rows);
}
