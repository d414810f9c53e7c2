/**
 * Takes the picture of `annarrow view` that README.md shows, docs/view.png, in Chromium:
 *
 *   npm run build && node scripts/picture.mjs [CHROMIUM]
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chromium } from "playwright-core";

const executablePath = process.argv[2] ?? "/usr/bin/chromium";
const server = spawn(process.execPath, ["dist/cli/main.js", "view", "examples/pbmc.h5ad"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = await once(server.stdout, "data");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: "light" });
  const state = {
    tab: "embedding",
    cells: [{ by: "values", mode: "within", column: "cell_type", values: ["CD4 T cell", "CD8 T cell", "NK cell"] }],
  };
  const address = Object.entries(state).map(([key, value]) => `&${key}=${encodeURIComponent(JSON.stringify(value))}`);
  await page.goto(`${String(line).trim()}${address.join("")}`);
  await page.getByText("1,600").first().waitFor();
  // The whole picture is drawn in slices after the sample.
  await page.waitForTimeout(2000);
  await page.screenshot({ path: "docs/view.png" });
} finally {
  await browser.close();
  server.kill("SIGINT");
}
