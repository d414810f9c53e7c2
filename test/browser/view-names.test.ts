/** Names of a file that change the direction of a text never act in the page: not in its elements, nor in their titles. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromArrays } from "apache-arrow";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { write } from "../../packages/published/src/node.js";
import { viewFrame } from "./view-frame.js";

const frame = viewFrame();

/** RIGHT-TO-LEFT OVERRIDE, and LEFT-TO-RIGHT ISOLATE. */
const NAME = "x\u202egnp.exe\u2066";
const SHOWN = "x⟨U+202E⟩gnp.exe⟨U+2066⟩";

const folder = mkdtempSync(join(tmpdir(), "annarrow-names-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Texts and attributes of the page that change the direction of a text; values of options and `data-` are not shown. */
const acting = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    const all = document.createTreeWalker(document, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = all.nextNode(); node !== null; node = all.nextNode()) {
      const parent = node.parentElement?.tagName;
      if (node.nodeType === Node.TEXT_NODE && /\p{Bidi_Control}/u.test(node.nodeValue ?? "")) found.push(`${parent}`);
      if (!(node instanceof Element)) continue;
      for (const { name, value } of node.attributes) {
        if (!/^(value|data-.*)$/.test(name) && /\p{Bidi_Control}/u.test(value)) found.push(`${node.tagName} ${name}`);
      }
    }
    return found;
  });

test("in the tree, tables, embeddings, figures and the choices of all of them", async () => {
  const file = join(folder, `${NAME}.h5ad`);
  const ids = ["a", "b", "c", "d"].map((id) => id + NAME);
  await write(file, {
    obs: tableFromArrays({ _index: ids, [NAME]: ["p", "q", NAME, NAME], n: Float64Array.of(1, 2, 3, 4) }),
    var: tableFromArrays({ _index: [`g${NAME}`, "h"] }),
    X: tableFromArrays({ row: Int32Array.of(0, 1), col: Int32Array.of(0, 1), value: Float32Array.of(1, 2) }),
    [`obsm/X_${NAME}`]: tableFromArrays({ x: Float64Array.of(1, 2, 3, 4), y: Float64Array.of(1, 2, 3, 4) }),
  });
  for (const tab of ["table", "embedding", "quality", "matrix", "sql"]) {
    const { page } = await frame.served([file], { state: { tab, table: "obs", columns: [NAME] } });
    await page.getByRole("navigation", { name: "Elements" }).getByText(`X_${SHOWN}`).first().waitFor();
    await page.waitForLoadState("networkidle");
    if (tab === "quality") await page.locator("figure svg").first().waitFor();
    await frame.screenshot(page, `names-${tab}`);
    expect([tab, await acting(page)]).toEqual([tab, []]);
  }
});
