/**
 * Writes Zarr stores with the library's writer, for every version and compression:
 *
 *     node test/interop/written/make_written_zarr.mjs OUT/
 *
 * `types.<version>.<compression>.zarr` has an array of every type, `anndata.<version>.<compression>.zarr` one annotated
 * matrix; `anndata.<version>.zip` the same in an archive. test_written_zarr.py reads them with Python's libraries.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { importBundled } from "../../../scripts/import-bundled.mjs";

const out = process.argv[2];
mkdirSync(out, { recursive: true });

/** The writer by itself: it is no part of what the package exports. */
const { createZarr, createChunkEncoder, createDirectoryTarget, createFileTarget, zipTarget } = await importBundled(
  "src/containers/zarr/write/container.ts",
  "src/jobs/workers/chunk-encoder.ts",
  "src/io/targets/directory.node.ts",
  "src/io/targets/file.node.ts",
  "src/io/targets/zip.ts",
);

const COMPRESSIONS = {
  none: { kind: "none" },
  gzip: { kind: "gzip", level: 4 },
  zstd: { kind: "zstd", level: 3 },
  lz4: { kind: "blosc", cname: "lz4", clevel: 5, shuffle: "byte" },
  blosczstd: { kind: "blosc", cname: "zstd", clevel: 3, shuffle: "byte" },
};

const VERSIONS = {
  v2: { version: 2 },
  v3: { version: 3, sharding: false },
  v3s: { version: 3 },
  v3old: { version: 3, records: "structured" },
};

const INT = (bits, signed = true) => ({ kind: "int", bits, signed });
const FLOAT = (bits) => ({ kind: "float", bits });
const BOOL = { kind: "bool" };
const TEXT = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };
const fixedText = (encoding, width) => ({
  kind: "text",
  storage: { form: "fixed", encoding, width, padding: "nullpad" },
});

const fixed = (values) => ({ kind: "fixed", values });
const range = (n, f = (i) => i) => Array.from({ length: n }, (_, i) => f(i));

function variable(items) {
  const parts = items.map((item) => Buffer.from(item));
  const offsets = new Int32Array(parts.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i] + part.length;
  });
  return { kind: "variable", offsets, bytes: new Uint8Array(Buffer.concat(parts)) };
}

const text = (value) => ({ type: TEXT, shape: [], values: variable([value]) });
const texts = (values) => ({ type: TEXT, shape: [values.length], values: variable(values) });
const ints = (values) => ({ type: INT(64), shape: [values.length], values: fixed(BigInt64Array.from(values)) });
const flag = (value) => ({ type: BOOL, shape: [], values: fixed(Uint8Array.of(value)) });
const encoded = (type, version, more = {}) =>
  new Map(Object.entries({ ...more, "encoding-type": text(type), "encoding-version": text(version) }));

/** A whole array at once. */
async function put(group, name, type, shape, values, more = {}) {
  const array = await group.array(name, { type, shape, ...more });
  if (shape !== null) await array.write(values, shape.length === 0 ? 1 : (shape[0] ?? more.rows));
  await array.close();
}

/** Rows in parts of uneven size. `make(start, end)` gives values. */
async function putParts(group, name, type, shape, rows, part, make, more = {}) {
  const array = await group.array(name, { type, shape, ...more });
  for (let start = 0; start < rows; start += part) {
    const end = Math.min(rows, start + part);
    await array.write(make(start, end), end - start);
  }
  await array.close();
}

async function writeTypes({ root }) {
  root.attribute("text", text('é \0 \u{1f600} "quoted"'));
  root.attribute("max", { type: INT(64), shape: [], values: fixed(BigInt64Array.of(2n ** 63n - 1n)) });
  root.attribute("unsigned", { type: INT(64, false), shape: [], values: fixed(BigUint64Array.of(2n ** 64n - 1n)) });
  root.attribute("small", { type: INT(8), shape: [2, 2], values: fixed(Int8Array.of(1, -2, 3, -4)) });
  root.attribute("float", { type: FLOAT(64), shape: [3], values: fixed(Float64Array.of(1, 0.1, 1e300)) });
  root.attribute("special", { type: FLOAT(64), shape: [3], values: fixed(Float64Array.of(NaN, Infinity, -Infinity)) });
  root.attribute("flags", { type: BOOL, shape: [2], values: fixed(Uint8Array.of(1, 0)) });
  root.attribute("texts", texts(["a", "", "c"]));
  root.attribute("none", { type: FLOAT(64), shape: null, values: null });
  root.attribute("empty", { type: FLOAT(64), shape: [0], values: fixed(new Float64Array(0)) });

  const types = [
    ["int8", INT(8), Int8Array],
    ["int16", INT(16), Int16Array],
    ["int32", INT(32), Int32Array],
    ["uint8", INT(8, false), Uint8Array],
    ["uint16", INT(16, false), Uint16Array],
    ["uint32", INT(32, false), Uint32Array],
    ["float32", FLOAT(32), Float32Array],
    ["float64", FLOAT(64), Float64Array],
  ];
  for (const [name, type, array] of types) {
    await putParts(root, name, type, [1000], 1000, 300, (start, end) =>
      fixed(array.from(range(end - start, (i) => (start + i) % 120))),
    );
  }
  await put(root, "int64", INT(64), [3], fixed(BigInt64Array.of(-(2n ** 63n), 2n ** 53n + 1n, 5n)));
  await put(root, "uint64", INT(64, false), [2], fixed(BigUint64Array.of(2n ** 64n - 1n, 7n)));
  await put(root, "float16", FLOAT(16), [3], fixed(Uint16Array.of(0x3c00, 0x7e00, 0xfc00)));
  await put(root, "special", FLOAT(64), [4], fixed(Float64Array.of(NaN, Infinity, -0, 5e-324)));
  await put(root, "bool", BOOL, [5], fixed(Uint8Array.of(1, 0, 0, 1, 1)));
  await put(root, "complex64", { kind: "complex", bits: 64 }, [2], fixed(Float32Array.of(1, 2, 3, -1)));
  await put(root, "complex128", { kind: "complex", bits: 128 }, [2], fixed(Float64Array.of(1, 2, NaN, -1)));
  await put(
    root,
    "datetime",
    { kind: "datetime", unit: "ns", step: 1 },
    [3],
    fixed(BigInt64Array.of(0n, 1n, -(2n ** 63n))),
  );
  await put(root, "days", { kind: "datetime", unit: "D", step: 1 }, [1], fixed(BigInt64Array.of(19000n)));
  await put(root, "timedelta", { kind: "timedelta", unit: "s", step: 25 }, [2], fixed(BigInt64Array.of(0n, 4n)));
  await put(root, "strings", TEXT, [4], variable(["", "x", "日本", "a\0b"]));
  await put(root, "strings2", TEXT, [2, 2], variable(["a", "b", "c", "d"]));
  await putParts(root, "many strings", TEXT, [70_001], 70_001, 9_000, (start, end) =>
    variable(range(end - start, (i) => ((start + i) % 7 === 0 ? "" : `s${start + i}`))),
  );
  await putParts(root, "long strings", TEXT, [null], 40, 3, (start, end) =>
    variable(range(end - start, (i) => "é".repeat(100_000 + start + i))),
  );
  await put(root, "bytes", { kind: "bytes", width: null }, [3], variable([[0, 255], [], [1]]));
  await put(root, "raw", { kind: "bytes", width: 3 }, [2], fixed(Uint8Array.of(1, 2, 3, 0, 0, 9)));
  await put(root, "ascii", fixedText("ascii", 4), [3], variable(["ab", "", "abcd"]));
  await put(root, "utf32", fixedText("utf-32", 12), [3], variable(["zé", "", "\u{1f600}ab"]));
  await put(root, "scalar int", INT(64), [], fixed(BigInt64Array.of(42n)));
  await put(root, "scalar zero", INT(64), [], fixed(BigInt64Array.of(0n)));
  await put(root, "scalar text", TEXT, [], variable(["hé"]));
  await put(root, "scalar empty", TEXT, [], variable([""]));
  await put(root, "null", FLOAT(32), null, null, { attributes: encoded("null", "0.1.0") });
  await put(root, "zero", INT(32), [0], fixed(new Int32Array(0)));
  await put(root, "zero rows", INT(32), [0, 5], fixed(new Int32Array(0)));
  await put(root, "zero columns", INT(32), [5, 0], fixed(new Int32Array(0)));
  await put(root, "no strings", TEXT, [0], variable([]));
  await put(root, "all zero", FLOAT(32), [1000], fixed(new Float32Array(1000)));
  await put(root, "all empty", TEXT, [1000], variable(range(1000, () => "")));

  const fields = [
    { name: "i", type: INT(32), shape: [] },
    { name: "d", type: FLOAT(64), shape: [] },
    { name: "S", type: fixedText("ascii", 3), shape: [] },
    { name: "ü", type: fixedText("utf-32", 12), shape: [] },
    { name: "b", type: BOOL, shape: [] },
  ];
  const columns = [
    fixed(Int32Array.of(1, 2)),
    fixed(Float64Array.of(0.5, 1)),
    variable(["ab", "xyz"]),
    variable(["éa", "xyz"]),
    fixed(Uint8Array.of(1, 0)),
  ];
  await put(root, "record", { kind: "record", fields }, [2], { kind: "record", length: 2, fields: columns });
  const bytes = [
    { name: "a", type: INT(8, false), shape: [] },
    { name: "b", type: INT(8), shape: [] },
  ];
  await put(root, "byte record", { kind: "record", fields: bytes }, [2], {
    kind: "record",
    length: 2,
    fields: [fixed(Uint8Array.of(1, 2)), fixed(Int8Array.of(-1, -2))],
  });
  // Chunks and shards: 1-D over several shards, 2-D cut in both directions, 3-D, gaps of zeros, unknown lengths.
  const wave = (start, end) => fixed(Int32Array.from({ length: end - start }, (_, i) => (start + i) * 7));
  await putParts(root, "long", INT(32), [1_000_003], 1_000_003, 77_777, wave);
  await putParts(root, "open", INT(32), [null], 1_000_003, 77_777, wave);
  await putParts(root, "open small", INT(32), [null], 10, 4, wave);
  await putParts(root, "open empty", INT(32), [null], 0, 1, wave);
  await putParts(root, "given", INT(32), [100], 100, 33, wave, { chunks: [7] });
  await putParts(root, "plain", INT(32), [100], 100, 33, wave, { compressed: false });
  await putParts(
    root,
    "gaps",
    INT(32),
    [100],
    100,
    40,
    (start, end) => fixed(Int32Array.from(range(end - start, (i) => (start + i < 50 ? 0 : start + i)))),
    { chunks: [10] },
  );
  const matrix = (columns) => (start, end) =>
    fixed(Float32Array.from({ length: (end - start) * columns }, (_, i) => start * columns + i));
  await putParts(root, "matrix", FLOAT(32), [2700, 501], 2700, 1000, matrix(501));
  await putParts(root, "open matrix", FLOAT(32), [null, 501], 2700, 1000, matrix(501));
  await putParts(root, "given matrix", FLOAT(32), [20, 11], 20, 3, matrix(11), { chunks: [6, 4] });
  await putParts(
    root,
    "cube",
    INT(16),
    [9, 7, 5],
    9,
    2,
    (start, end) => fixed(Int16Array.from(range((end - start) * 35, (i) => start * 35 + i))),
    { chunks: [4, 3, 2] },
  );

  const odd = await root.group("odd names");
  for (const name of ["c", "0", "0.0", "p%20q", "h#q", "sp ace", "é", "__x", ".hid", "plus+&"]) {
    await put(odd, name, INT(32), [1], fixed(Int32Array.of(name.length)));
  }
}

async function writeAnnData({ root }) {
  const NUMBERS = encoded("array", "0.2.0");
  const STRINGS = encoded("string-array", "0.2.0");
  const strings = (group, name, values) =>
    put(group, name, TEXT, [values.length], variable(values), { attributes: STRINGS });
  const sparse = async (group, name, shape, data, indices, indptr) => {
    const node = await group.group(name, encoded("csr_matrix", "0.1.0", { shape: ints(shape.map(BigInt)) }));
    await put(node, "data", FLOAT(32), [data.length], fixed(Float32Array.from(data)));
    await put(node, "indices", INT(32), [indices.length], fixed(Int32Array.from(indices)));
    await put(node, "indptr", INT(32), [indptr.length], fixed(Int32Array.from(indptr)));
  };
  for (const [name, attribute] of encoded("anndata", "0.1.0")) root.attribute(name, attribute);

  const frame = (name, columns) =>
    root.group(name, encoded("dataframe", "0.2.0", { "column-order": texts(columns), _index: text("_index") }));
  const obs = await frame("obs", ["ct", "n", "ni", "f2", "ok", "zero"]);
  await strings(obs, "_index", ["c0", "c1", "cé", "c3", "c4"]);
  const ct = await obs.group("ct", encoded("categorical", "0.2.0", { ordered: flag(0) }));
  await put(ct, "codes", INT(8), [5], fixed(Int8Array.of(0, 1, -1, 0, 1)), { attributes: NUMBERS });
  await strings(ct, "categories", ["B", "T"]);
  await put(obs, "n", INT(64), [5], fixed(BigInt64Array.of(1n, 2n, 3n, 4n, 5n)), { attributes: NUMBERS });
  const ni = await obs.group("ni", encoded("nullable-integer", "0.1.0"));
  await put(ni, "values", INT(64), [5], fixed(BigInt64Array.of(1n, 0n, 3n, 4n, 5n)), { attributes: NUMBERS });
  await put(ni, "mask", BOOL, [5], fixed(Uint8Array.of(0, 1, 0, 0, 0)), { attributes: NUMBERS });
  await put(obs, "f2", FLOAT(16), [5], fixed(Uint16Array.of(0x3800, 0x3c00, 0x4000, 0x4200, 0x4400)), {
    attributes: NUMBERS,
  });
  await put(obs, "ok", BOOL, [5], fixed(Uint8Array.of(1, 0, 1, 0, 1)), { attributes: NUMBERS });
  await put(obs, "zero", INT(32), [5], fixed(new Int32Array(5)), { attributes: NUMBERS });
  const variables = await frame("var", ["s"]);
  await strings(variables, "_index", ["g0", "g1", "g2"]);
  await strings(variables, "s", ["", "x", "日本"]);
  await sparse(root, "X", [5, 3], [1, 2, 3, 4, 5, 6], [0, 2, 1, 0, 1, 2], [0, 2, 3, 3, 4, 6]);
  const layers = await root.group("layers", encoded("dict", "0.1.0"));
  await sparse(layers, "empty", [5, 3], [], [], [0, 0, 0, 0, 0, 0]);
  await put(layers, "dense", FLOAT(32), [5, 3], fixed(Float32Array.from(range(15))), { attributes: NUMBERS });
  const obsm = await root.group("obsm", encoded("dict", "0.1.0"));
  await put(obsm, "X_umap", FLOAT(32), [5, 2], fixed(Float32Array.from(range(10, (i) => i / 2))), {
    attributes: NUMBERS,
  });
  await put(obsm, "none", FLOAT(32), [5, 0], fixed(new Float32Array(0)), { attributes: NUMBERS });
  for (const name of ["varm", "obsp", "varp"]) await root.group(name, encoded("dict", "0.1.0"));
  const uns = await root.group("uns", encoded("dict", "0.1.0"));
  const scalar = (type) => ({ attributes: encoded(type, "0.2.0") });
  await put(uns, "i", INT(64), [], fixed(BigInt64Array.of(42n)), scalar("numeric-scalar"));
  await put(uns, "b", BOOL, [], fixed(Uint8Array.of(1)), scalar("numeric-scalar"));
  await put(uns, "s", TEXT, [], variable(["hé"]), scalar("string"));
  await put(uns, "strs2", TEXT, [2, 2], variable(["a", "b", "c", "d"]), { attributes: STRINGS });
  await put(uns, "empty", FLOAT(64), [0], fixed(new Float64Array(0)), { attributes: NUMBERS });
  const fields = [
    { name: "i", type: INT(32), shape: [] },
    { name: "u", type: fixedText("utf-32", 12), shape: [] },
  ];
  await put(
    uns,
    "rec",
    { kind: "record", fields },
    [2],
    {
      kind: "record",
      length: 2,
      fields: [fixed(Int32Array.of(1, 2)), variable(["ab", "xyz"])],
    },
    scalar("rec-array"),
  );
  const odd = await uns.group("odd % # key", encoded("dict", "0.1.0"));
  await put(odd, "v", INT(32), [1], fixed(Int32Array.of(7)), { attributes: NUMBERS });
}

async function write(target, options, compression, fill) {
  const encoder = createChunkEncoder();
  const container = createZarr(target, { ...options, encoder, compression });
  await fill(container);
  await container.close();
  encoder.close();
  await target.commit();
}

for (const [version, options] of Object.entries(VERSIONS)) {
  for (const [name, compression] of Object.entries(COMPRESSIONS)) {
    const path = (kind) => join(out, `${kind}.${version}.${name}.zarr`);
    await write(await createDirectoryTarget(path("types")), options, compression, writeTypes);
    await write(await createDirectoryTarget(path("anndata")), options, compression, writeAnnData);
  }
  const archive = zipTarget(await createFileTarget(join(out, `anndata.${version}.zip`)));
  await write(archive, options, COMPRESSIONS.gzip, writeAnnData);
}
