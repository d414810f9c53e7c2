import { describe, expect, test } from "vitest";
import { formatObjectAddress, isCloudAddress, parseAddress } from "../src/objects/address.js";

describe("an address", () => {
  test.each([
    ["s3://bucket/a/b.h5ad", { scheme: "s3", bucket: "bucket", key: "a/b.h5ad" }],
    ["S3://bucket", { scheme: "s3", bucket: "bucket", key: "" }],
    ["s3a://bucket/x y+z%20?#.h5ad", { scheme: "s3", bucket: "bucket", key: "x y+z%20?#.h5ad" }],
    ["gs://bucket/a//b/", { scheme: "gs", bucket: "bucket", key: "a//b/" }],
    ["az://container/a", { scheme: "az", bucket: "container", key: "a" }],
    ["abfss://c@acc.dfs.core.windows.net/a", { scheme: "az", bucket: "c", account: "acc", key: "a" }],
    ["hf://datasets/o/n/a/b.h5ad", { scheme: "hf", bucket: "datasets/o/n", key: "a/b.h5ad" }],
    [
      "hf://datasets/o/n@refs%2Fconvert%2Fparquet/a",
      { scheme: "hf", bucket: "datasets/o/n", revision: "refs/convert/parquet", key: "a" },
    ],
    ["hf://o/n", { scheme: "hf", bucket: "o/n", key: "" }],
  ])("%s", (text, parsed) => {
    expect(isCloudAddress(text)).toBe(true);
    expect(parseAddress(text)).toEqual(parsed);
    expect(parseAddress(formatObjectAddress(parseAddress(text), parsed.key))).toEqual(parsed);
  });

  test("a URL object has encoded its path, a text has not", () => {
    expect(parseAddress(new URL("s3://bucket/a b/é.h5ad")).key).toBe("a b/é.h5ad");
    expect(parseAddress("s3://bucket/a%20b").key).toBe("a%20b");
  });

  test.each([
    ["s3:///key", "InvalidInputError", /names no bucket/],
    ["s3://bucket/a/../b", "UnsupportedError", /a key with ".."/],
    ["s3://id:secret@bucket/a", "InvalidInputError", /^s3:\/\/…@bucket\/a: .* credentials are not a part/],
    ["hf://datasets/owner", "InvalidInputError", /names no repository/],
  ])("%s is refused", (text, tag, message) => {
    expect(() => parseAddress(text)).toThrow(message);
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ tag }));
  });

  test.each(["http://host/x", "file:///x", "x.h5ad", "C:\\s3\\x"])("%s is none", (text) => {
    expect(isCloudAddress(text)).toBe(false);
  });
});
