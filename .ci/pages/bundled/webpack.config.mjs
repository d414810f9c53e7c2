import { resolve } from "node:path";

export default {
  mode: "production",
  entry: "./page.js",
  output: { path: resolve("out/webpack"), filename: "page.js" },
  // As docs/bundlers.md says: a page without what libhdf5 alone reads.
  resolve: { alias: { h5wasm: false } },
  optimization: { minimize: Boolean(process.env.MINIMIZE) },
  performance: false,
  stats: "errors-warnings",
};
