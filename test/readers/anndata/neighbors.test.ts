import { describe, expect, it } from "vitest";
import { open } from "../../../packages/published/src/node.js";

/** A store as anndata 0.7 wrote it, with a graph of 2 x 2 equal values below each of `graphs`. */
function store(graphs: Readonly<Record<string, number>>): Map<string, Uint8Array> {
  const documents: Record<string, unknown> = {};
  const group = (path: string, attributes?: object) => {
    documents[`${path}.zgroup`] = { zarr_format: 2 };
    if (attributes !== undefined) documents[`${path}.zattrs`] = attributes;
  };
  const array = (path: string, shape: number[], dtype: string, fill: number | string) => {
    const storage = { compressor: null, filters: null, order: "C" };
    documents[`${path}/.zarray`] = { zarr_format: 2, shape, chunks: shape, dtype, fill_value: fill, ...storage };
  };
  group("");
  for (const axis of ["obs", "var"]) {
    const encoding = { "encoding-type": "dataframe", "encoding-version": "0.1.0" };
    group(`${axis}/`, { ...encoding, _index: "index", "column-order": [] });
    array(`${axis}/index`, [2], "|S1", "eA==");
  }
  for (const path of ["uns/", "uns/neighbors/", "obsp/"]) group(path);
  for (const [path, value] of Object.entries(graphs)) array(path, [2, 2], "<f4", value);
  return new Map(Object.entries(documents).map(([key, json]) => [key, new TextEncoder().encode(JSON.stringify(json))]));
}

async function firstValues(graphs: Readonly<Record<string, number>>): Promise<Record<string, unknown>> {
  const data = await open(store(graphs));
  const names = [...data.tables.keys()].filter((name) => name.endsWith("/distances"));
  const values = names.map(async (name) => [name, (await data.table(name).read()).getChild("value")?.get(0)?.get(0)]);
  return Object.fromEntries(await Promise.all(values));
}

describe("graphs of uns/neighbors in a file without root encoding", () => {
  it("are moved to obsp, as anndata moves them", async () => {
    expect(await firstValues({ "uns/neighbors/distances": 1 })).toEqual({ "obsp/distances": 1 });
  });

  it("stay where obsp has one of that name, so that neither is lost", async () => {
    expect(await firstValues({ "uns/neighbors/distances": 1, "obsp/distances": 2 })).toEqual({
      "uns/neighbors/distances": 1,
      "obsp/distances": 2,
    });
  });
});
