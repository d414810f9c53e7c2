import { describe, expect, it } from "vitest";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { arrayAt, describeValues, expectedArrays, readAll, wantedValues, zipStore } from "./stores.js";

describe.each(["v2", "v3"] as const)("every array of the %s store reads as in Python", (version) => {
  it.each(expectedArrays(version))("%s", async (path, expected) => {
    const container = await openZarr(await zipStore(version));
    const array = await arrayAt(container, path);
    expect(array.shape).toEqual(expected.shape);
    expect(describeValues(await readAll(array))).toEqual(wantedValues(expected));
  });
});
