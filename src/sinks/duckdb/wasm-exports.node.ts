/**
 * The functions of DuckDB-WASM's module that its own program needs. The module exports all 75,000 of its functions and
 * variables for extensions, and the program enters every one of them into tables when it starts, which takes a third of
 * the start and 70 MB.
 */

/** Calls back with the module's functions, as `instantiateWasm` of Emscripten does. */
type Instantiate = (imports: unknown, success: (instance: Exporting, module: WebAssembly.Module) => void) => unknown;

interface Exporting {
  readonly exports: WebAssembly.Exports;
}

/** C++ functions under the names that linkers see, and the addresses of functions that are wrapped. */
const FOR_EXTENSIONS = /^(?:_Z|orig\$)/;

/**
 * Lets the database start without the functions that only extensions need. It can then load none; another version of the
 * package may start as it always does.
 */
export function withoutExtensions(database: object): void {
  const instantiate: unknown = Reflect.get(database, "instantiateWasm");
  if (!isInstantiate(instantiate)) return;
  const own: Instantiate = (imports, success) =>
    instantiate.call(database, imports, (instance, module) =>
      success({ exports: ownExports(instance, module) }, module),
    );
  Reflect.set(database, "instantiateWasm", own);
}

const isInstantiate = (value: unknown): value is Instantiate => typeof value === "function";

function ownExports({ exports }: Exporting, module: WebAssembly.Module): WebAssembly.Exports {
  // The module imports the addresses of some of its own functions.
  const imported = WebAssembly.Module.imports(module).filter((one) => one.module.startsWith("GOT."));
  const needed = new Set(imported.map(({ name }) => name));
  return Object.fromEntries(Object.entries(exports).filter(([name]) => needed.has(name) || !FOR_EXTENSIONS.test(name)));
}
