/** What the files beside the code say: licences, versions, security. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const manifest: {
  version: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
} = JSON.parse(readFileSync("package.json", "utf8"));
const notices = readFileSync("THIRD-PARTY-NOTICES.txt", "utf8");

test("THIRD-PARTY-NOTICES.txt is what its script writes", () => {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-notices-"));
  try {
    execFileSync(process.execPath, ["scripts/third-party.mjs", join(folder, "notices.txt")]);
    expect(notices).toBe(readFileSync(join(folder, "notices.txt"), "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("THIRD-PARTY-NOTICES.txt names every package that npm installs, with its version", () => {
  const packages = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const titles = Object.entries(packages).map(([name, version]) => `${name} ${version} (`);
  expect(titles.filter((title) => !notices.includes(`\n\n${title}`))).toEqual([]);
});

test("CITATION.cff and the changelog have the version of the package", () => {
  expect(readFileSync("CITATION.cff", "utf8")).toContain(`\nversion: ${manifest.version}\n`);
  expect(readFileSync("CHANGELOG.md", "utf8")).toContain(`\n## ${manifest.version}`);
});
