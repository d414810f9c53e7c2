import { describe, expect, test } from "vitest";
import { fieldMetadata, tableOf, tablesOf } from "../anndata/expected.js";
import { expectedOf, openFixture, typesOf } from "./fixtures.js";

test.each(["loompy", "spec-2", "dialect"])("%s: every table has the reference's values", async (name) => {
  const data = await openFixture(name);
  expect(data.failures).toEqual(new Map());
  expect(await tablesOf(data)).toEqual(expectedOf(name));
});

describe("a file of loompy", () => {
  test("says its format, version and shape, and needs no warning", async () => {
    const { format, version, container, shape, warnings } = await openFixture("loompy");
    expect({ format, version, container, shape, warnings }).toEqual({
      ...{ format: "loom", version: "3.0.0", container: "hdf5", shape: [70, 9], warnings: [] },
    });
  });

  test("has its tables on the axes of the matrix", async () => {
    const data = await openFixture("loompy");
    const axes = Object.fromEntries([...data.tables].map(([name, { axis }]) => [name, axis]));
    expect(axes).toMatchObject({ matrix: "row", "layers/counts": "row", row_attrs: "row", col_attrs: "col" });
    expect(axes).toMatchObject({ "col_graphs/KNN": null, attrs: null });
  });

  test("has the types of the mapping", async () => {
    const data = await openFixture("loompy");
    expect(typesOf(data, "matrix")).toEqual({ value: "FixedSizeList[9]<Float32>" });
    expect(typesOf(data, "layers/counts")).toEqual({ value: "FixedSizeList[9]<Uint16>" });
    expect(typesOf(data, "col_attrs")).toEqual({ CellID: "Utf8", X_pca: "FixedSizeList[3]<Float64>" });
    expect(typesOf(data, "col_graphs/KNN")).toEqual({ row: "Int32", col: "Int32", value: "Float64" });
  });

  test("remembers shapes, integers of graphs and time stamps", async () => {
    const data = await openFixture("loompy");
    const stamp = "20240102T030405.678901Z";
    expect(data.table("matrix").metadata).toMatchObject({ kind: "array", shape: [70, 9], file_last_modified: stamp });
    expect(data.table("row_attrs").metadata).toEqual({ kind: "dataframe", last_modified: stamp });
    expect(fieldMetadata(data.table("row_attrs"), "Gene")).toMatchObject({ kind: "string-array" });
    expect(data.table("col_graphs/KNN").metadata).toMatchObject({
      ...{ kind: "coo_matrix", shape: [9, 9], order: null, indices: "int32" },
    });
  });

  test("lists the globals", async () => {
    const { columns } = await tableOf((await openFixture("loompy")).table("attrs"));
    expect(columns.path).toEqual(
      ["CreationDate", "LOOM_SPEC_VERSION", "title", "vector", "year"].map((n) => `attrs/${n}`),
    );
    expect(columns.value.slice(1)).toEqual(['"3.0.0"', '"by loompy"', "[0,1,2,3]", "2024"]);
    expect((await openFixture("loompy")).table("attrs").derived).toBe(true);
  });

  test("names the columns of its matrix after CellID", async () => {
    const data = await openFixture("loompy");
    const columns = await data.table("layers/counts").layout("columns");
    expect(columns.schema.fields.map(({ name }) => name).slice(0, 2)).toEqual(["cell:0x", "cell:1x"]);
  });
});

describe("a file of version 2.0.1", () => {
  test("remembers which text had character references, and where globals stood", async () => {
    const data = await openFixture("spec-2");
    expect(data.version).toBe("2.0.1");
    const rows = data.table("row_attrs");
    const storage = { form: "fixed", encoding: "ascii", width: 20, padding: "nullpad" };
    const stamp = "20240102T030405.678901Z";
    expect(fieldMetadata(rows, "Gene")).toEqual({
      ...{ kind: "string-array", storage, entityEscaped: true, last_modified: stamp },
    });
    expect(fieldMetadata(rows, "vlen")).toEqual({ kind: "string-array" });
    expect(fieldMetadata(rows, "pairs")).toMatchObject({ kind: "rec-array", entityEscaped: true });
    expect(data.table("attrs/title").metadata).toMatchObject({ origin: "root", entityEscaped: true, shape: [] });
    expect(data.table("attrs/n").metadata).toEqual({ kind: "numeric-scalar", shape: [], origin: "root" });
  });

  test("keeps the stored types of the root's attributes", async () => {
    const data = await openFixture("spec-2");
    expect(typesOf(data, "attrs/n")).toEqual({ value: "Float32" });
    expect(typesOf(data, "attrs/list")).toEqual({ value: "Uint16" });
  });

  test("takes the time stamp of the root for no global", async () => {
    const data = await openFixture("spec-2");
    expect(data.tables.has("attrs/last_modified")).toBe(false);
    expect(data.table("matrix").metadata.file_last_modified).toBe("20240102T030405.678901Z");
  });
});

describe("a file without version, by other writers", () => {
  test("says what was assumed", async () => {
    const { version, warnings } = await openFixture("dialect");
    expect(version).toBe("");
    expect(warnings).toHaveLength(2);
    expect(warnings).toContainEqual(expect.stringMatching(/col_graphs\/counted: .* 1 … 5 .* kept as they are/));
    expect(warnings).toContainEqual(expect.stringMatching(/row_attrs\/GRangesList: .* no column of 6 rows/));
  });

  test("has missing logicals as nulls, alone and in records", async () => {
    const rows = (await openFixture("dialect")).table("row_attrs");
    expect(typesOf(await openFixture("dialect"), "row_attrs")).toMatchObject({
      ...{ logical: "Bool", flag: "Bool", factor: "Dictionary<Int16, Utf8>" },
    });
    const fields = new Map(rows.schema.fields.map((field) => [field.name, field.nullable]));
    expect([fields.get("logical"), fields.get("flag")]).toEqual([true, false]);
  });

  test("lists what is in SCope's MetaData with the globals", async () => {
    const { columns } = await tableOf((await openFixture("dialect")).table("attrs"));
    const rows = columns.path.map((path, i) => [path, columns.kind[i], columns.value[i]]);
    const below = (path: string) => `attrs/MetaData/${path}`;
    expect(rows.slice(1)).toEqual([
      [below("embeddings"), "json", null],
      [below("embeddings/0"), "json", null],
      [below("embeddings/0/id"), "json", "-1"],
      [below("embeddings/0/name"), "json", '"t-SNE"'],
      [below("annotations"), "json", null],
      [below("annotations/0"), "json", null],
      [below("annotations/0/name"), "json", '"kind"'],
      [below("annotations/0/values"), "json", '["a","ü"]'],
      [below("clusterings"), "json", null],
      [below("empty"), "json", null],
      [below("flag"), "json", "true"],
      [below("none"), "json", "null"],
    ]);
  });

  test("lists groups that are no element of the format", async () => {
    const data = await openFixture("dialect");
    const { columns } = await tableOf(data.table("row_attrs/GRangesList"));
    expect(columns.path).toEqual(["row_attrs/GRangesList/lengths", "row_attrs/GRangesList/nothing"]);
    expect(data.table("singlecellexperiment").derived).toBe(true);
  });
});

test("a file with nothing but a matrix is one", async () => {
  const data = await openFixture("matrix-only");
  expect([...data.tables.keys()]).toEqual(["matrix"]);
  expect(data.warnings).toEqual([
    "no group row_attrs, col_attrs, row_graphs, col_graphs: read as if there were nothing in it",
  ]);
});
