/** The metadata of tables: its types by kind, and the checks of stored metadata. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { DataTable, ElementMetadata } from "../../packages/published/src/index.js";
import { open } from "../../packages/published/src/node.js";
import { toElementMetadata } from "../../src/model/table-metadata.js";

const DATA = "test/fixtures/data";

/** The types that a user's switch gives; the compiler checks them. */
function described(metadata: ElementMetadata): string {
  switch (metadata.kind) {
    case "csr_matrix":
    case "csc_matrix":
      expectTypeOf(metadata.order).toEqualTypeOf<"row" | "column" | undefined>();
      expectTypeOf(metadata.shape).toEqualTypeOf<readonly number[] | undefined>();
      return `${metadata.order} ${metadata.shape?.join(" x ")}`;
    case "dataframe":
      expectTypeOf(metadata.index).toEqualTypeOf<string | undefined>();
      return metadata.index ?? "no index";
    case "categorical":
      expectTypeOf(metadata.categories?.kind).toEqualTypeOf<string | undefined>();
      return metadata.codes ?? "narrow codes";
    case "fragments":
      expectTypeOf(metadata.bits?.start).toEqualTypeOf<number | undefined>();
      return metadata.version ?? "text";
    default:
      // @ts-expect-error: a kind above is no longer possible
      if (metadata.kind === "dataframe") return "impossible";
      return metadata.kind;
  }
}

test("a switch on the kind gives the details of the kind", async () => {
  const data = await open(join(DATA, "annotated/counts.h5ad"));
  expectTypeOf<DataTable["metadata"]>().toEqualTypeOf<ElementMetadata>();
  expect(described(data.table("X").metadata)).toBe("row 70 x 45");
  expect(described(data.table("layers/csc").metadata)).toBe("column 70 x 45");
  expect(described(data.table("obs").metadata)).toBe("barcode");
  expect(described(data.table("obsm/X_pca").metadata)).toBe("array");
  const atac = await open(join(DATA, "fragments/packed"));
  expect(described(atac.table("fragments").metadata)).toBe("packed-fragments-v2");
});

describe("stored metadata", () => {
  test("of all files has the types of its kind", async () => {
    const paths = ["anndata", "annotated", "mudata", "loom", "cellranger", "matlab", "bpcells", "fragments"].flatMap(
      (folder) => readdirSync(join(DATA, folder)).map((name) => join(DATA, folder, name)),
    );
    let count = 0;
    for (const path of paths) {
      const data = await open(path).catch(() => null);
      for (const { name, schema, metadata } of data?.tables.values() ?? []) {
        count++;
        expect({ path, name, ...metadata }).toEqual({
          path,
          name,
          ...JSON.parse(schema.metadata.get("annarrow") ?? "{}"),
        });
      }
      await data?.close();
    }
    expect(count).toBeGreaterThan(500);
  });

  test("of another type is left out, and the rest stays", () => {
    const stored = { kind: "csr_matrix", shape: [2, 3], layout: "tall", order: "up", indices: "int32", mine: { a: 1 } };
    expect(toElementMetadata(stored)).toEqual({ kind: "csr_matrix", shape: [2, 3], indices: "int32", mine: { a: 1 } });
    const right = { kind: "my-kind", order: "up", shape: [2] };
    expect(toElementMetadata(right)).toBe(right);
  });
});
