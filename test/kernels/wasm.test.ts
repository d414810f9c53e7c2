import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
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

const refused = expect.objectContaining({
  tag: "MissingDependencyError",
  problem: expect.stringContaining("'wasm-unsafe-eval' in script-src"),
});

/** WebAssembly of which nothing can be compiled. */
function refusing(error: Error): object {
  return {
    CompileError: WebAssembly.CompileError,
    instantiate: () => Promise.reject(error),
    Module: class {
      constructor() {
        throw error;
      }
    },
  };
}

afterEach(() => void vi.unstubAllGlobals());

describe("a kernel", () => {
  test("gives its memory and its functions", async () => {
    const kernel = await instantiateKernel(ADD, ["add"]);
    expect(kernel.functions.add(2, 3)).toBe(5);
    expect(kernel.memory.buffer.byteLength).toBe(65536);
    expect(instantiateSmallKernel(ADD, ["add"]).functions.add(2, 3)).toBe(5);
  });

  test("is refused without the function asked for", async () => {
    await expect(instantiateKernel(ADD, ["subtract"])).rejects.toThrow("exports no function subtract");
  });

  test("names what helps where the module cannot be compiled, as without SIMD", async () => {
    const broken = btoa("\0asm\x01\0\0\0\xff");
    await expect(instantiateKernel(broken, [])).rejects.toThrow(refused);
    expect(() => instantiateSmallKernel(broken, [])).toThrow(refused);
  });

  test.each([
    ["has no WebAssembly", () => undefined],
    ["forbids it as Chromium does", () => refusing(new WebAssembly.CompileError("disallowed by embedder"))],
    ["forbids it as Safari does", () => refusing(new EvalError("Refused to create a WebAssembly object"))],
  ])("names what helps where a page %s", async (_, make) => {
    vi.stubGlobal("WebAssembly", make());
    await expect(instantiateKernel(ADD, ["add"])).rejects.toThrow(refused);
    expect(() => instantiateSmallKernel(ADD, ["add"])).toThrow(refused);
  });

  test("leaves a lack of memory as it is", async () => {
    const full = new RangeError("Out of memory");
    vi.stubGlobal("WebAssembly", refusing(full));
    await expect(instantiateKernel(ADD, ["add"])).rejects.toBe(full);
    expect(() => instantiateSmallKernel(ADD, ["add"])).toThrow(full);
  });

  test("grows its memory, and never makes it smaller", async () => {
    const kernel = await instantiateKernel(ADD, ["add"]);
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
