import commonjs from "@rollup/plugin-commonjs";
import resolve from "@rollup/plugin-node-resolve";

export default {
  input: { page: "page.js", worker: "annarrow/worker" },
  output: { dir: "out/rollup", entryFileNames: "[name].js" },
  plugins: [resolve({ browser: true }), commonjs()],
};
