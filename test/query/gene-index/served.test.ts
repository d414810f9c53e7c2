import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ServeOptions, serve } from "../../../packages/flight/src/serve/serve.node.js";
import { BUILT } from "../../../packages/flight/test/serve/built-files.js";
import { writeCompanion } from "../../../packages/published/src/node.js";
import { place } from "../../formats/conversion/opened.js";

/** The sum of a gene that a statement of a client asks for. */
async function servedSum(folder: string, options: ServeOptions): Promise<number> {
  const server = await serve(folder, { port: 0, httpPort: 0, log: null, ...options }, BUILT);
  try {
    const sql = encodeURIComponent("select sum(value) as sum from X where col = 7");
    const response = await fetch(`http://127.0.0.1:${server.httpPort}/pbmc.h5ad?sql=${sql}&format=json`);
    return JSON.parse(await response.text()).sum;
  } finally {
    await server.close(0);
  }
}

test("a server reads genes from the companions in a folder", async () => {
  const folder = place("served");
  mkdirSync(folder);
  writeFileSync(join(folder, "pbmc.h5ad"), readFileSync("examples/pbmc.h5ad"));
  const cache = join(place("companions"), "cache");
  await writeCompanion(join(folder, "pbmc.h5ad"), { cache, elements: ["X"] });
  // Other values show which of the two is read.
  const values = readdirSync(cache, { recursive: true, encoding: "utf8" }).filter((name) => /[/\\]val$/.test(name));
  expect(values).toHaveLength(1);
  const file = join(cache, values[0]);
  const content = readFileSync(file);
  writeFileSync(file, content.fill(0, 8));
  expect(await servedSum(folder, { companion: cache })).toBe(0);
  expect(await servedSum(folder, { companion: "off" })).toBeGreaterThan(100);
});
