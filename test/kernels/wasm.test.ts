import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ensureMemory, instantiateKernel, instantiateSmallKernel } from "../../src/kernels/wasm/instantiate.js";

/** (module (memory (export "memory") 1) (func (export "add") (param i32 i32) (result i32) …)), by hand. */
const ADD = Buffer.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x07, 0x01, 0x60, 0x02, 0x7f, 0x7f, 0x01, 0x7f],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x05, 0x03, 0x01, 0x00, 0x01],
  ...[0x07, 0x10, 0x02, 0x06, ...Buffer.from("memory"), 0x02, 0x00, 0x03, ...Buffer.from("add"), 0x00, 0x00],
  ...[0x0a, 0x09, 0x01, 0x07, 0x00, 0x20, 0x00, 0x20, 0x01, 0x6a, 0x0b],
]).toString("base64");

describe("a kernel", () => {
  test("gives its memory and its functions", async () => {
    const kernel = await instantiateKernel(ADD, ["add"]);
    expect(kernel?.functions.add(2, 3)).toBe(5);
    expect(kernel?.memory.buffer.byteLength).toBe(65536);
    expect(instantiateSmallKernel(ADD, ["add"])?.functions.add(2, 3)).toBe(5);
  });

  test("is refused without the function asked for", async () => {
    await expect(instantiateKernel(ADD, ["subtract"])).rejects.toThrow("exports no function subtract");
  });

  test("is not there where the module cannot run", async () => {
    expect(await instantiateKernel(btoa("\0asm\x01\0\0\0\xff"), [])).toBe(null);
    expect(instantiateSmallKernel(btoa("\0asm\x01\0\0\0\xff"), [])).toBe(null);
  });

  test("grows its memory, and never makes it smaller", async () => {
    const kernel = await instantiateKernel(ADD, ["add"]);
    if (kernel === null) throw new Error("no WebAssembly");
    for (const [bytes, pages] of [
      [65536, 1],
      [65537, 2],
      [1, 2],
      [300_000, 5],
    ] as const) {
      ensureMemory(kernel.memory, bytes);
      expect(kernel.memory.buffer.byteLength).toBe(pages * 65536);
    }
  });
});

test("every committed module is what its source gives", { timeout: 120_000 }, () => {
  const sources = readdirSync("assembly").filter((file) => file.endsWith(".ts"));
  const modules = readdirSync("src/kernels/wasm").filter((file) => file.endsWith(".wasm.ts"));
  // The others are made of C by scripts/build-<name>.py, which checks them.
  const ofC = readdirSync("assembly").filter((file) => file.endsWith(".c"));
  const ours = modules.filter((file) => !ofC.includes(file.replace(".wasm.ts", ".c")));
  expect(ours.map((file) => file.replace(".wasm.ts", ".ts")).sort()).toEqual(sources.sort());
  execFileSync(process.execPath, ["scripts/build-kernels.mjs", "--check"], { stdio: "pipe" });
});
