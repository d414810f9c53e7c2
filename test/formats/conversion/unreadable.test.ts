/** Conversions of a dataset with an element that cannot be read. */

import { tableFromArrays } from "apache-arrow";
import { expect, test } from "vitest";
import { convert, write } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";

test("an element that cannot be read stops a conversion, with the option that writes the others", async () => {
  const store = new Map<string, Uint8Array>();
  const frame = (...names: string[]) => tableFromArrays({ _index: names });
  const tables = { obs: frame("a", "b"), var: frame("g"), "uns/new": tableFromArrays({ value: [1, 2] }) };
  await write(store, tables);
  const attributes = { "encoding-type": "future", "encoding-version": "0.2.0" };
  store.set("uns/new/.zattrs", new TextEncoder().encode(JSON.stringify(attributes)));
  store.delete(".zmetadata");
  const output = place("h5ad");
  await expect(convert(store, output)).rejects.toMatchObject({
    tag: "UnsupportedError",
    element: "uns/new",
    problem:
      'encoding-type "future" 0.2.0 is not known; allow losses (--lossy) to write what can be read, without uns/new',
  });
  const { warnings } = await convert(store, output, { lossy: true });
  expect(warnings).toContainEqual(expect.stringMatching(/^left out: .*uns\/new: .* is not known$/));
  expect((await open(output)).tables.has("obs")).toBe(true);
});
