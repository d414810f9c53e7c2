import { resolve } from "node:path";
import { build } from "esbuild";

/** `writer.ts` as one file that Node runs. */
export async function bundledWriter(folder: string): Promise<string> {
  const outfile = resolve(folder, "writer.mjs");
  await build({
    entryPoints: ["test/targets/writer.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  return outfile;
}
