import { defineConfig } from "vitest/config";

const report = process.env.VITEST_JSON;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/browser/**"],
    expect: { requireAssertions: true },
    setupFiles: ["test/seed.ts"],
    // On a machine that does other things too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // For those who count: a report beside the usual one.
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
