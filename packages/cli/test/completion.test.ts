import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { annarrow } from "./command.js";

const PBMC = "examples/pbmc.h5ad";
let folder: string;

beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), "annarrow-completion-"));
  const program = join(folder, "annarrow");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${resolve("dist/cli/main.js")}" "$@"\n`);
  chmodSync(program, 0o755);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

async function words(...line: string[]): Promise<string[]> {
  const { stdout } = await annarrow("complete", "--", ...line);
  return stdout
    .split("\n")
    .filter((one) => one !== "")
    .map((one) => one.split("\t")[0]);
}

describe("the words that may stand next", () => {
  test.each([
    [["con"], ["convert", "concat"]],
    [
      ["union", "c"],
      ["commit", "clean"],
    ],
    [["convert", "--lay"], ["--layout"]],
    [
      ["convert", PBMC, "x", "--layout", ""],
      ["coordinate", "list", "dense", "columns"],
    ],
    [
      ["convert", PBMC, "x", "--table", "obsm"],
      ["obsm/X_pca", "obsm/X_umap"],
    ],
    [
      ["complete", ""],
      ["bash", "zsh", "fish"],
    ],
    [["convert", PBMC, "x", "--layout=de"], ["--layout=dense"]],
    [["convert", PBMC, "x", "--layout", "=", "de"], ["dense"]],
    [
      ["convert", PBMC, "x", "--layout", "=", "de", "--table", "va"],
      ["var", "varm/PCs"],
    ],
    [
      ["head", PBMC, "obsp/"],
      ["obsp/connectivities", "obsp/distances"],
    ],
  ])("%j: %j", async (line, expected) => expect(await words(...line)).toEqual(expected));

  test.each([
    [["inspect", "ex"]],
    [["convert", PBMC, "out"]],
    [["convert", PBMC, "x", "--obs-names", ""]],
    [["head", "nosuch.h5ad", ""]],
    [["head", "https://example.org/x.h5ad", ""]],
  ])("%j: names of files, which the shell has", async (line) => expect(await words(...line)).toEqual([]));

  test("the options of a command are those that its help lists", async () => {
    const help = (await annarrow("head", "--help")).stdout;
    const listed = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name);
    expect(await words("head", "--")).toEqual(listed);
  });
});

test("bash completes words, and runs nothing of what is typed", () => {
  const script = `
    source <(annarrow complete bash)
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _annarrow; echo "\${COMPREPLY[*]}"; }
    try annarrow conv
    try annarrow convert '$(touch ran)' x --layout d
    try annarrow convert "'two words'" x --layout d
    try annarrow convert x --layout =
  `;
  const out = execFileSync("bash", ["-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
  });
  expect(out).toBe("convert\ndense\ndense\ncoordinate list dense columns\n");
  expect(execFileSync("ls", [folder], { encoding: "utf8" })).toBe("annarrow\n");
});

test("the scripts for zsh and fish complete the command; another shell is an error", async () => {
  expect((await annarrow("complete", "zsh")).stdout).toContain("compdef _annarrow annarrow");
  expect((await annarrow("complete", "fish")).stdout).toContain("complete -c annarrow");
  expect(await annarrow("complete", "tcsh")).toMatchObject({
    code: 2,
    stderr: "annarrow: name the shell: annarrow complete bash|zsh|fish\n",
  });
});
