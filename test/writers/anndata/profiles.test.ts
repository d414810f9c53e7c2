/** The profiles of encodings: what tables that come from no store become. */

import { expect, test } from "vitest";
import { write } from "../../../packages/published/src/node.js";

const OBS = { _index: ["a", "b"], whole: ["x", "y"], missing: ["x", null] };

async function encodingsIn(anndata: "portable" | "0.13" | "0.14"): Promise<Record<string, unknown>> {
  const store = new Map<string, Uint8Array>();
  const tables = { obs: OBS, var: { _index: ["g"] }, "uns/names": { value: ["n"] } };
  await write(store, tables, { anndata, zarrFormat: 3 });
  const encoding = (path: string) => {
    const document = JSON.parse(new TextDecoder().decode(store.get(`${path}/zarr.json`)));
    const { "encoding-type": type, "na-value": missing } = document.attributes;
    return missing === undefined ? type : `${type} ${missing}`;
  };
  return Object.fromEntries(
    ["obs/_index", "obs/whole", "obs/missing", "uns/names"].map((path) => [path, encoding(path)]),
  );
}

// test/interop/test_pandas_types.py compares 0.14 with what anndata writes.
test.each([
  ["portable", ["string-array", "string-array", "categorical", "string-array"]],
  ["0.13", ["string-array", "string-array", "nullable-string-array NA", "string-array"]],
  ["0.14", ["nullable-string-array NaN", "nullable-string-array NaN", "nullable-string-array NaN", "string-array"]],
] as const)("%s", async (profile, expected) => {
  expect(Object.values(await encodingsIn(profile))).toEqual(expected);
});
