/** Arrays and attributes of every kind. */

import {
  attribute,
  BOOL,
  COLOURS,
  fixed,
  fixedText,
  float,
  int,
  NUMBERS,
  noise,
  numbers,
  put,
  sequences,
  strings,
  text,
  times,
} from "./written_hdf5_values.mjs";

/** One attribute of every kind. */
function attributes(file) {
  return new Map([
    ["i", attribute(int(32), [], fixed(Int32Array.of(7)))],
    ["f2", attribute(float(16), [3], fixed(Uint16Array.of(0x3c00, 0x4000, 0x3800)))],
    ["b", attribute(BOOL, [], fixed(Uint8Array.of(1)))],
    ["e", attribute(COLOURS, [], fixed(Int16Array.of(-5)))],
    ["n", attribute(float(64), null, null)],
    ["fixed", attribute(fixedText(5, "nullterm"), [], strings(["doubl"]))],
    ["space", attribute(fixedText(6, "spacepad", "utf-8"), [2], strings(["äb", "cd"]))],
    ["v", attribute(text(), [], strings(["string"]))],
    ["empty", attribute(text(), [], strings([""]))],
    ["va", attribute(text("ascii"), [2], strings(["a", ""]))],
    ["none", attribute(text(), [0], strings([]))],
    ["c", attribute({ kind: "complex", bits: 128 }, [], fixed(Float64Array.of(1.5, -2)))],
    ["o", attribute({ kind: "bytes", width: 3 }, [], fixed(Uint8Array.from(Buffer.from("xyz"))))],
    ["größe \u{1f600}", attribute(int(32), [0], fixed(new Int32Array(0)))],
    ["2d", attribute(int(64), [2, 3], fixed(BigInt64Array.from([1n, 2n, 3n, 4n, 5n, 6n])))],
    [
      "record",
      attribute(
        {
          kind: "record",
          fields: [
            { name: "s", type: text(), shape: [] },
            { name: "i", type: int(32), shape: [2] },
          ],
        },
        [2],
        { kind: "record", length: 2, fields: [strings(["one", "zwöi"]), fixed(Int32Array.of(1, 2, 3, 4))] },
      ),
    ],
    [
      "MATLAB_fields",
      attribute(
        { kind: "sequence", item: fixedText(1, "nullterm") },
        [3],
        sequences(["abc", "d", "longer"], strings([..."abcdlonger"])),
      ),
    ],
    [
      "ref",
      attribute({ kind: "reference" }, [2], fixed(BigUint64Array.of(file.reference("bool"), file.reference("")))),
    ],
  ]);
}

/** As anndata or its users might: words of any length, more of them than one heap collection has. */
const word = (i) => `w${i}`.repeat(i % 9);

/** @param crowd how many arrays one of the groups has. */
export async function kinds(file, crowd = 1000) {
  const { root } = file;
  for (const [name, [type, Type]] of Object.entries(NUMBERS)) {
    await put(root, `num_${name}`, { type, shape: [5, 7] }, fixed(numbers(Type, 35)), 5);
    await put(root, `scalar_${name}`, { type, shape: [] }, fixed(numbers(Type, 1)), 1);
    await put(root, `tiny_${name}`, { type, shape: [3] }, fixed(numbers(Type, 3)), 3);
  }
  await put(root, "num_f2", { type: float(16), shape: [4] }, fixed(Uint16Array.of(0, 0x3c00, 0xc000, 0x7c00)), 4);
  await put(root, "bool", { type: BOOL, shape: [11] }, fixed(Uint8Array.from(times(11, (i) => noise(i) & 1))), 11);
  await put(root, "enum", { type: COLOURS, shape: [3] }, fixed(Int16Array.of(0, 1, -5)), 3);
  await put(root, "null", { type: float(64), shape: null }, fixed(new Float64Array(0)), 0);
  await put(root, "zero", { type: float(64), shape: [0, 3] }, fixed(new Float64Array(0)), 0);
  await put(root, "zero_columns", { type: float(64), shape: [3, 0] }, fixed(new Float64Array(0)), 3);
  await put(root, "zero_growing", { type: float(64), shape: [null, 4] }, fixed(new Float64Array(0)), 0);
  await put(root, "zero_growing_columns", { type: float(64), shape: [null, 0] }, fixed(new Float64Array(0)), 3);
  for (const padding of ["nullterm", "nullpad", "spacepad"]) {
    const words = strings(["abc", "de", ""]);
    await put(root, `fixed_${padding}_ascii`, { type: fixedText(5, padding), shape: [3] }, words, 3);
    const type = fixedText(5, padding, "utf-8");
    await put(root, `fixed_${padding}_utf8`, { type, shape: [3] }, strings(["é", "xy", ""]), 3);
  }
  const words = ["alpha", "", "βeta", "x".repeat(70_000), "end"];
  await put(root, "vlen_utf8", { type: text(), shape: [5] }, strings(words), 5);
  await put(root, "vlen_ascii", { type: text("ascii"), shape: [2] }, strings(["a", "bc"]), 2);
  await put(root, "vlen_scalar", { type: text(), shape: [] }, strings(["hello"]), 1);
  await put(root, "vlen_2d", { type: text(), shape: [2, 2] }, strings(["a", "b", "", "d"]), 2);
  const many = (from, to) => strings(times(to - from, (i) => word(from + i)));
  await put(root, "vlen_many", { type: text(), shape: [70_000] }, many, 70_000, 33_333);
  await put(root, "vlen_growing", { type: text(), shape: [null] }, many, 70_000, 10_000);
  const lists = [0, 3, 1, 5].map((k) => times(k, (i) => i));
  await put(
    root,
    "vlen_i4",
    { type: { kind: "sequence", item: int(32) }, shape: [4] },
    sequences(lists, fixed(Int32Array.from(lists.flat()))),
    4,
  );
  await put(
    root,
    "vlen_bytes",
    { type: { kind: "bytes", width: null }, shape: [3] },
    { kind: "variable", offsets: Int32Array.of(0, 2, 2, 5), bytes: Uint8Array.of(0, 1, 2, 0, 255) },
    3,
  );
  const lines = [["a", "bc"], [], ["def"]];
  await put(
    root,
    "vlen_texts",
    { type: { kind: "sequence", item: text() }, shape: [3] },
    sequences(lines, strings(lines.flat())),
    3,
  );
  await put(
    root,
    "compound",
    {
      type: {
        kind: "record",
        fields: [
          { name: "id", type: int(32), shape: [] },
          { name: "name", type: fixedText(4), shape: [] },
          { name: "x", type: float(64), shape: [] },
          { name: "flag", type: BOOL, shape: [] },
          { name: "arr", type: int(8), shape: [2, 3] },
          {
            name: "inner",
            type: {
              kind: "record",
              fields: [
                { name: "colour", type: COLOURS, shape: [] },
                { name: "z", type: { kind: "complex", bits: 64 }, shape: [2] },
              ],
            },
            shape: [],
          },
        ],
      },
      shape: [3],
    },
    {
      kind: "record",
      length: 3,
      fields: [
        fixed(Int32Array.of(1, 2, 3)),
        strings(["a", "bcde", ""]),
        fixed(Float64Array.of(0.5, 1e300, -1)),
        fixed(Uint8Array.of(1, 0, 1)),
        fixed(Int8Array.from(times(18, (i) => i))),
        {
          kind: "record",
          length: 3,
          fields: [fixed(Int16Array.of(0, 1, -5)), fixed(Float32Array.from(times(12, (i) => i)))],
        },
      ],
    },
    3,
  );
  await put(
    root,
    "compound_vlen",
    {
      type: {
        kind: "record",
        fields: [
          { name: "s", type: text(), shape: [] },
          { name: "i", type: int(32), shape: [] },
        ],
      },
      shape: [3],
    },
    { kind: "record", length: 3, fields: [strings(["one", "", "zwöi"]), fixed(Int32Array.of(0, 1, 2))] },
    3,
  );
  await put(
    root,
    "complex64",
    { type: { kind: "complex", bits: 64 }, shape: [2] },
    fixed(Float32Array.of(1, 2, 3, 4)),
    2,
  );
  await put(
    root,
    "complex",
    { type: { kind: "complex", bits: 128 }, shape: [2] },
    fixed(Float64Array.of(1, 2, 3, 4)),
    2,
  );
  const raw = Uint8Array.from(Buffer.from("abcdefuvw\0yz"));
  await put(root, "opaque", { type: { kind: "bytes", width: 6 }, shape: [2] }, fixed(raw), 2);

  for (const [shape, chunks] of [
    [[103], [10]],
    [
      [37, 53],
      [8, 7],
    ],
    [
      [11, 13, 9],
      [3, 5, 4],
    ],
    [[4], [100]],
    [
      [0, 4],
      [2, 4],
    ],
  ]) {
    const [rows, ...rest] = shape;
    const width = rest.reduce((a, b) => a * b, 1);
    const values = (from, to) => fixed(Float32Array.from(times((to - from) * width, (i) => noise(from * width + i))));
    const name = `chunked${shape.join("x")}`;
    await put(root, `${name}_growing`, { type: float(32), shape: [null, ...rest], chunks }, values, rows, 7);
    await put(
      root,
      `${name}_extendable`,
      { type: float(32), shape, chunks, extendable: true },
      values,
      rows,
      rows || 1,
    );
    await put(root, `${name}_known`, { type: float(32), shape, chunks }, values, rows, 1);
    await put(root, `${name}_plain`, { type: float(32), shape, chunks, compressed: false }, values, rows, 5);
  }
  const large = (from, to) => fixed(Int32Array.from(times(to - from, (i) => noise(from + i))));
  await put(root, "large", { type: int(32), shape: [1_000_000] }, large, 1_000_000, 123_457);
  await put(root, "large_growing", { type: int(32), shape: [null] }, large, 1_000_000, 99_991);
  const wide = (from, to) => fixed(Float64Array.from(times((to - from) * 1001, (i) => noise(from * 1001 + i))));
  await put(root, "wide", { type: float(64), shape: [300, 7, 143] }, wide, 300, 7);

  const all = attributes(file);
  await put(root, "attributes", { type: int(32), shape: [], attributes: all }, fixed(Int32Array.of(0)), 1);
  const inner = await root.group("inner", all);
  await put(inner, "leaf", { type: int(32), shape: [1] }, fixed(Int32Array.of(5)), 1);
  await root.group("nothing");
  for (const [name, value] of all) root.attribute(name, value);
  const refs = ["bool", "inner", "vlen_utf8", ""].map((path) => file.reference(path));
  await put(root, "refs", { type: { kind: "reference" }, shape: [1, 4] }, fixed(BigUint64Array.from(refs)), 1);
  // A cycle: the address is known before the header is there.
  const loop = await root.array("loop", { type: { kind: "reference" }, shape: [1] });
  const back = attribute({ kind: "reference" }, [], fixed(BigUint64Array.of(file.reference("loop"))));
  await loop.write(fixed(BigUint64Array.of(file.reference("inner"))), 1);
  await loop.close();
  inner.attribute("loop", back);

  for (const bytes of [200_000, 5_000_000]) {
    const big = attribute(int(64), [bytes / 8], fixed(numbers(BigInt64Array, bytes / 8)));
    const some = new Map([["big", big], ...all]);
    await put(root, `big_${bytes}`, { type: int(32), shape: [], attributes: some }, fixed(Int32Array.of(1)), 1);
    const group = await root.group(`biggroup_${bytes}`, some);
    await put(group, "x", { type: int(32), shape: [] }, fixed(Int32Array.of(3)), 1);
  }
  file.reference("biggroup_200000");
  const big = new Map([["big", attribute(int(8), [70_000], fixed(numbers(Int8Array, 70_000)))]]);
  const reserved = await root.array("big_reserved", { type: int(32), shape: [], attributes: big });
  file.reference("big_reserved");
  await reserved.write(fixed(Int32Array.of(1)), 1);
  await reserved.close();
  const few = new Map(times(900, (i) => [`a${i}`, attribute(int(32), [], fixed(Int32Array.of(i)))]));
  await put(root, "many_attributes", { type: int(32), shape: [], attributes: few }, fixed(Int32Array.of(0)), 1);
  const dense = new Map([...few, ["big", attribute(int(8), [66_000], fixed(numbers(Int8Array, 66_000)))]]);
  await put(root, "many_dense", { type: int(32), shape: [], attributes: dense }, fixed(Int32Array.of(0)), 1);
  const members = await root.group("crowd");
  for (let i = 0; i < crowd; i++) {
    await put(
      members,
      `member ${String(i).padStart(5, "0")}`,
      { type: int(32), shape: [] },
      fixed(Int32Array.of(i)),
      1,
    );
  }
}
