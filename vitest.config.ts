import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const report = process.env.VITEST_JSON;
const long = readFileSync("test/long-tests.txt", "utf8")
  .split("\n")
  .filter((line) => /^(test|packages)\//.test(line));
const browser = "test/browser/**";

export default defineConfig({
  resolve: {
    // Packages import the core, and each other, by the entries of tsconfig.json.
    tsconfigPaths: true,
    alias: [{ find: /^#platform$/, replacement: fileURLToPath(new URL("test/platform.ts", import.meta.url)) }],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "short",
          include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
          exclude: [browser, ...long],
        },
      },
      { extends: true, test: { name: "long", include: long } },
    ],
    // What a test polls for comes late on a machine that does other things too.
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
    // Modules keep nothing that a caller set: files share them, and load each of them once for all.
    isolate: false,
    // One process for each core; by default one core stays free for whoever types meanwhile.
    maxWorkers: "100%",
    setupFiles: ["test/seed.ts", "test/cleanup.ts", "test/register.ts"],
    // DuckDB-WASM prints the errors that tests expect.
    silent: "passed-only",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // For those who count: a report beside the usual one.
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
