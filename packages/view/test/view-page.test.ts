import { resolve } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { JUPYTER } from "../../../src/api/display/plain.js";
import { ensureBuilt } from "../../../test/build.js";
import { type ViewPageOptions, viewPage } from "../src/view-page.node.js";

beforeAll(ensureBuilt, 120_000);

/** `view` from the sources, whose package has no command of its own. */
const view = (inputs: readonly string[], options: ViewPageOptions = {}) =>
  viewPage(inputs, options, resolve("dist/cli/main.js"));

test("a page of a file answers until it is closed, and a notebook shows it in a frame", async () => {
  const page = await view(["examples/pbmc.h5ad"], { height: 420 });
  onTestFinished(() => page.close());
  const address = new URL(page.url);
  expect(address.hostname).toBe("127.0.0.1");
  const answer = await fetch(new URL("/", address));
  expect(await answer.text()).toContain("assets/main.js");
  expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors http://localhost:*");
  const shown = page[JUPYTER]();
  expect(shown["text/plain"]).toBe(page.url);
  const quoted = page.url.replaceAll("&", "&amp;");
  expect(shown["text/html"]).toContain(`<iframe src="${quoted}"`);
  expect(shown["text/html"]).toContain('height="420"');
  await page.close();
  await expect(fetch(new URL("/", address))).rejects.toThrow();
});

test("the words of the command are the error", async () => {
  await expect(view(["nosuch.h5ad"])).rejects.toThrow(/nosuch\.h5ad: no such file or directory/);
  await expect(view([])).rejects.toThrow("give a file, a folder or a URL");
});
