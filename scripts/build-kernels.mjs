/**
 * Compiles every assembly/<name>.ts into src/kernels/wasm/<name>.wasm.ts: the module as one base64 string, so that it
 * needs no file beside the code. `--check` writes nothing and fails where a committed module is not what its source
 * gives. Names as arguments limit it to these.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, "assembly");
const target = join(root, "src/kernels/wasm");

/** No garbage collector, no imports, a memory of its own; asserts and range checks are the kernels' own business. */
const OPTIONS = ["-O3", "--converge", "--noAssert", "--runtime", "stub", "--enable", "simd", "--use", "abort="];

async function compile(name) {
  const outputs = new Map();
  const { error, stderr } = await asc.main(
    [`${name}.ts`, "--baseDir", sources, "--outFile", "module.wasm", ...OPTIONS],
    {
      writeFile: (file, contents) => void outputs.set(file, contents),
    },
  );
  if (error) throw new Error(`assembly/${name}.ts: ${error.message}\n${stderr}`);
  const wasm = outputs.get("module.wasm");
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(wasm));
  if (imports.length > 0) throw new Error(`assembly/${name}.ts imports ${imports.map((i) => i.name).join(", ")}`);
  const base64 = Buffer.from(wasm).toString("base64");
  const line = `export const WASM = "${base64}";`;
  const wrapped = line.length <= 120 ? line : `export const WASM =\n  "${base64}";`;
  return `// Made of assembly/${name}.ts by \`npm run build:kernels\`.\n${wrapped}\n`;
}

function committed(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

const check = process.argv.includes("--check");
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const names = readdirSync(sources)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3))
  .filter((name) => wanted.length === 0 || wanted.includes(name));
mkdirSync(target, { recursive: true });
for (const name of names) {
  const file = join(target, `${name}.wasm.ts`);
  const text = await compile(name);
  if (committed(file) === text) continue;
  if (check) {
    process.stderr.write(`${name}.wasm.ts is not what assembly/${name}.ts gives: run npm run build:kernels\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    process.stdout.write(`src/kernels/wasm/${name}.wasm.ts: ${((text.length * 3) / 4096).toFixed(1)} KiB\n`);
  }
}
