import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bundle, bundled } from "../../../scripts/import-bundled.mjs";
import { draws } from "../../draws.js";
import { wrong } from "./kill.js";
import { expectSurvivesKills } from "./survives-kills.js";
import { tree } from "./tree.js";

let folder: string;
let writer: Bundle;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-kill-"));
  writer = await bundled("test/io/targets/writer.ts");
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await writer.remove();
});

/** A place in a folder of its own, with something there or not. */
function placeOf(name: string, there: "file" | "store" | "nothing"): string {
  const place = join(mkdtempSync(join(folder, "place-")), name);
  if (there === "file") writeFileSync(place, "before");
  if (there === "store") {
    mkdirSync(join(place, "X"), { recursive: true });
    writeFileSync(join(place, "zarr.json"), "before");
    writeFileSync(join(place, "X", "zarr.json"), "before");
    writeFileSync(join(place, "X", "0"), "before");
  }
  return place;
}

test.each([
  { kind: "file", name: "out.h5ad", there: "file", moments: draws(24).numRuns },
  { kind: "file", name: "new.h5ad", there: "nothing", moments: draws(12).numRuns },
  { kind: "directory", name: "out.zarr", there: "store", moments: draws(24).numRuns },
  { kind: "directory", name: "new.zarr", there: "nothing", moments: draws(12).numRuns },
  { kind: "zip", name: "out.zarr.zip", there: "file", moments: draws(12).numRuns },
  { kind: "tables", name: "tables", there: "store", moments: draws(12).numRuns },
] as const)(
  "$name, written as $kind over $there, is whole or what it was",
  async ({ kind, name, there, moments }) => {
    const place = placeOf(name, there);
    const command = [process.execPath, writer.file, kind, place, "3", "7"];
    await expectSurvivesKills({ command, place, moments, seed: 1 });
  },
  240_000,
);

test("what is wrong is noticed", () => {
  const place = placeOf("out.zarr", "store");
  const before = tree(place);
  expect(wrong(place, before, "whole")).toBeNull();
  expect(wrong(place, "another", "whole")).toMatch("neither");
  const temporary = join(place, "..", ".out.zarr.0123456789ab-0-12-34-0123456789ab.tmp");
  renameSync(place, `${temporary}.old`);
  expect(wrong(place, before, "whole")).toBeNull();
  expect(wrong(place, "another", "whole")).toBe("what was there before is gone");
  renameSync(`${temporary}.old`, temporary);
  expect(wrong(place, before, "whole")).toBe("what was there before is gone");
  renameSync(temporary, join(place, "..", "tmp123"));
  expect(wrong(place, null, "whole")).toBe("there is tmp123");
});
