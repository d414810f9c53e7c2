import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { runBatch } from "../../src/cli/batch.js";
import { directoryTarget } from "../../src/targets/directory.node.js";
import { fileTarget } from "../../src/targets/file.node.js";

// Each would else write below a local folder called "s3:".
test.each([
  ["a file", () => fileTarget("s3://bucket/x.h5ad")],
  ["a folder", () => directoryTarget("s3://bucket/x.zarr", { overwrite: true })],
  [
    "a folder of outputs",
    () =>
      runBatch([], { jobs: 1, folder: "s3://bucket/x/" }, AbortSignal.timeout(10_000), async () => ({
        line: "",
        warnings: [],
      })),
  ],
])("%s in an object store is refused", async (_, write) => {
  await expect(write()).rejects.toMatchObject({ tag: "UnsupportedError", source: expect.stringMatching(/^s3:\/\//) });
  expect(existsSync("s3:")).toBe(false);
});
