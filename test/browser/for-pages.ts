/** What a page of the tests is served: its script, bundled from the sources as users bundle the library, and its HTML. */

import { basename } from "node:path";
import { build } from "esbuild";

/** libdeflate asks for these, but only in Node, and dist/ has it in a form that does not name them. */
export const NODE_OF_LIBDEFLATE = ["path", "fs"];

/**
 * The files of a page by their paths: `/index.html` runs `/bundle/SCRIPT.js`.
 * @param script name of the source of the page, without `.ts`.
 * @param more sources of further files of the bundle.
 * @param external modules that the bundle leaves out, beside those of libdeflate.
 */
export async function pageFiles(
  script: string,
  { more = [], external = [] }: { readonly more?: readonly string[]; readonly external?: readonly string[] } = {},
): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [`./test/browser/${script}.ts`, ...more],
    entryNames: "[name]",
    bundle: true,
    write: false,
    splitting: true,
    format: "esm",
    platform: "browser",
    external: [...external, ...NODE_OF_LIBDEFLATE],
    outdir: "/bundle",
    logLevel: "error",
  });
  const html = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/bundle/${script}.js"></script>`;
  return new Map([
    ...outputFiles.map(({ path, contents }) => [`/bundle/${basename(path)}`, contents] as const),
    ["/index.html", new TextEncoder().encode(html)],
  ]);
}
