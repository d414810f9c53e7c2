import { expect, test } from "vitest";
import { getHdf5Compression, getZarrCompression } from "../src/formats/compression.js";

test("each container has its usual compression", () => {
  expect(getHdf5Compression({}, ".h5ad")).toEqual({ kind: "gzip", level: 4 });
  expect(getZarrCompression({}, 2)).toEqual({ kind: "blosc", cname: "lz4", clevel: 5, shuffle: "byte" });
  expect(getZarrCompression({}, 3)).toEqual({ kind: "zstd", level: 3 });
});

test("the level is the caller's", () => {
  expect(getHdf5Compression({ level: 9 }, ".h5ad")).toEqual({ kind: "gzip", level: 9 });
  expect(getZarrCompression({ compression: "gzip", level: 0 }, 3)).toEqual({ kind: "gzip", level: 0 });
  expect(getZarrCompression({ compression: "none" }, 2)).toEqual({ kind: "none" });
});

test.each([
  [{ compression: "zstd" }, ".h5ad is compressed by gzip or not at all"],
  [{ level: 10 }, "gzip has the levels 0 to 9, not 10"],
  [{ level: 1.5 }, "gzip has the levels 0 to 9, not 1.5"],
  [{ compression: "none", level: 1 }, "no compression has no level 1"],
] as const)("%o: %s", (options, message) => expect(() => getHdf5Compression(options, ".h5ad")).toThrow(message));

test("levels differ by compression", () => {
  expect(() => getZarrCompression({ compression: "zstd", level: 0 }, 3)).toThrow("zstd has the levels 1 to 19, not 0");
  expect(getZarrCompression({ compression: "zstd", level: 19 }, 2)).toEqual({ kind: "zstd", level: 19 });
});
