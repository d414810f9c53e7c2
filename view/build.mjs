/** Writes the page to dist/view/: index.html, and assets/ with the bundle. Fonts, scripts and styles come from nowhere else. */

import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const out = "dist/view";
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/assets`, { recursive: true });
copyFileSync("view/index.html", `${out}/index.html`);
await build({
  entryPoints: { main: "view/src/main.tsx", page: "view/src/page.css" },
  outdir: `${out}/assets`,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "browser",
  target: "es2023",
  minify: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  tsconfig: "view/tsconfig.json",
  alias: { "annarrow/view": "./src/view/view-request.ts" },
  mainFields: ["module", "main"],
});
