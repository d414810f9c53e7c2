import { defineConfig } from "vitest/config";

export default defineConfig({
  // Packages import the core, and each other, by the entries of tsconfig.json.
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/browser/*.test.ts"],
    // On a machine that does other things too.
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
