/** The page of `annarrow view` opens a file: from its server, and without one a file, a folder and an address. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { viewFrame } from "./view-frame.js";

const frame = viewFrame();

/** Computed by examples/make_pbmc_sim.py with pandas and scipy. */
const { shape, firstCells } = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));
const SIZE = `${shape[0].toLocaleString("en")} cells × ${shape[1].toLocaleString("en")} genes`;

async function expectPbmc(page: Page): Promise<void> {
  await page.getByText(SIZE).waitFor();
  const tree = page.getByRole("navigation", { name: "Elements" });
  for (const name of ["obs", "var", "X", "counts", "X_umap"]) {
    await tree.getByText(name, { exact: true }).first().waitFor();
  }
}

test("a file that is served", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"]);
  await expectPbmc(page);
  await frame.screenshot(page, "served");
  expect(await page.title()).toContain("annarrow");
});

test("a file that is chosen", async () => {
  const { page } = await frame.statically();
  await page.getByRole("heading", { name: "Open a file" }).waitFor();
  await frame.screenshot(page, "start");
  await page.getByLabel("Files", { exact: true }).first().setInputFiles("examples/pbmc.h5ad");
  await expectPbmc(page);
  await frame.screenshot(page, "static");
  expect(await page.getByRole("heading", { name: "Open a file" }).count()).toBe(0);
});

test("a file of another server, of which only parts are fetched", async () => {
  const { page } = await frame.statically();
  const bytes = readFileSync("examples/pbmc.h5ad");
  const host = await frame.hosted(new Map([["/pbmc.h5ad", bytes]]));
  await page.getByLabel(/address of a file/).fill(`${host.url}/pbmc.h5ad`);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expectPbmc(page);
  expect(host.requests.length).toBeGreaterThan(0);
  expect(host.requests.filter((one) => !/^\/pbmc\.h5ad bytes=\d+-\d+$/.test(one))).toEqual([]);
});

test("a link to a Zarr store", async () => {
  const files = Object.entries(unzipSync(readFileSync("examples/pbmc.zarr.zip")));
  const host = await frame.hosted(new Map(files.map(([key, bytes]) => [`/pbmc.zarr/${key}`, bytes])));
  const { page } = await frame.statically({ state: { input: `${host.url}/pbmc.zarr` } });
  await expectPbmc(page);
  expect(host.requests).toContain("/pbmc.zarr/zarr.json");
});

test("a folder that is chosen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [key, bytes] of Object.entries(unzipSync(readFileSync("examples/pbmc.zarr.zip")))) {
    const path = join(folder, "pbmc.zarr", key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  const { page } = await frame.statically();
  await page.getByLabel("Folder", { exact: true }).setInputFiles(join(folder, "pbmc.zarr"));
  await expectPbmc(page);
  expect(await page.getByText("Zarr 3").count()).toBe(1);
});

test("a folder by its handle, of which only what is needed is read", async () => {
  const { page } = await frame.statically();
  const zip = readFileSync("examples/pbmc.zarr.zip");
  const files = Object.entries(unzipSync(zip)).map(([key, bytes]) => [key, Buffer.from(bytes).toString("base64")]);
  // Pages have a folder of their own, whose handle is like that of a chosen one.
  await page.evaluate(async (all) => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("pbmc.zarr", { create: true });
    for (const [key, text] of all) {
      const segments = key.split("/");
      let folder = root;
      for (const name of segments.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true });
      const file = await folder.getFileHandle(segments[segments.length - 1], { create: true });
      const stream = await file.createWritable();
      await stream.write(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
      await stream.close();
    }
    Object.assign(window, { showDirectoryPicker: async () => root });
  }, files);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await expectPbmc(page);
  expect(await page.getByRole("grid").first().getByText(firstCells[0]).first().textContent()).toBe(firstCells[0]);
});

test("a file that is dropped", async () => {
  const { page } = await frame.statically();
  const text = readFileSync("examples/pbmc.h5ad").toString("base64");
  const transfer = await page.evaluateHandle((base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "pbmc.h5ad"));
    return data;
  }, text);
  // A browser sends the event again and again while something is held over the page, which may still be starting.
  const over = async () => {
    await page.dispatchEvent("#page", "dragover", { dataTransfer: transfer });
    return page.getByText("Drop the file or folder").count();
  };
  await expect.poll(over, { timeout: 30_000 }).toBe(1);
  await page.dispatchEvent("#page", "drop", { dataTransfer: transfer });
  await expectPbmc(page);
  expect(await page.getByText("Drop the file or folder").count()).toBe(0);
});

test("an address that is none is refused in words", async () => {
  const { page } = await frame.statically();
  await page.getByLabel(/address of a file/).fill("pbmc.h5ad");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  expect(await page.getByRole("alert").textContent()).toContain("https://");
});

test("what cannot be opened is told, and another file can be chosen", async () => {
  const { page } = await frame.statically();
  await page
    .getByLabel("Files", { exact: true })
    .setInputFiles({ name: "notes.h5ad", mimeType: "text/plain", buffer: Buffer.from("no HDF5") });
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("notes.h5ad");
  await page.getByLabel("Files", { exact: true }).first().setInputFiles("examples/pbmc.h5ad");
  await expectPbmc(page);
});
