/**
 * @hpcc-js/wasm-zstd holds its WebAssembly compressed by zstd, as text, with a decoder in JavaScript: unpacking takes
 * 70 ms of every thread. This plugin for esbuild leaves the package as it is but for that text: it becomes a deflate
 * stream, which `inflate` unpacks in some milliseconds.
 */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";

const PACKAGE = /[\\/]@hpcc-js[\\/]wasm-zstd[\\/]dist[\\/]index\.js$/;

/** The packed text, the only one of such a length. */
const TEXT = /\b(\w+)='([^'\n]{100000,})'/;

export const unpackedZstd = {
  name: "unpacked-zstd",
  setup(build) {
    build.onLoad({ filter: PACKAGE }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const [literal, name] = TEXT.exec(source) ?? [];
      // The function that gives the module: `function f(){return bytes??=decode(decodeText(text)),start({wasmBinary:bytes`.
      const load = new RegExp(
        `function (\\w+)\\(\\)\\{return (\\w+)\\?\\?=\\w+\\(\\w+\\(${name}\\)\\),(?=\\w+\\(\\{wasmBinary:\\2\\b)`,
      );
      if (literal === undefined || !load.test(source)) throw new Error(`${path} is of another form`);

      const module = await moduleOf(path);
      const unpack = `inflate(decodeBase64(${name}),"raw",{bytes:${module.length},exact:true})`;
      const contents = source
        .replace(load, `async function $1(){$2??=await ${unpack};return `)
        // A function: the replacement may hold a dollar sign.
        .replace(literal, () => `${name}='${deflateRawSync(module, { level: 9 }).toString("base64")}'`);
      const imports = [
        ["inflate", "src/kernels/codecs/deflate/inflate.ts"],
        ["decodeBase64", "src/kernels/wasm/instantiate.ts"],
      ].map(([names, file]) => `import { ${names} } from ${JSON.stringify(resolve(file))};\n`);
      return { contents: imports.join("") + contents, loader: "js" };
    });
  },
};

/** The bytes that the package itself compiles. */
async function moduleOf(path) {
  const { instantiate } = WebAssembly;
  const seen = [];
  WebAssembly.instantiate = (bytes, imports) => {
    seen.push(bytes);
    return instantiate(bytes, imports);
  };
  try {
    const { Zstd } = await import(pathToFileURL(path));
    await Zstd.load();
    await Zstd.unload();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  const [module] = seen;
  if (seen.length !== 1 || !WebAssembly.validate(module)) throw new Error(`${path} compiles no module of its own`);
  return module;
}
