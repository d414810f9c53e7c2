/** Types and values that make_written_hdf5.mjs writes. */

export const int = (bits, signed = true) => ({ kind: "int", bits, signed });
export const float = (bits) => ({ kind: "float", bits });
export const text = (encoding = "utf-8") => ({ kind: "text", storage: { form: "variable", encoding } });
export const fixedText = (width, padding = "nullpad", encoding = "ascii") => ({
  kind: "text",
  storage: { form: "fixed", encoding, width, padding },
});
export const BOOL = { kind: "bool" };
export const COLOURS = {
  kind: "enum",
  base: int(16),
  members: [
    { name: "red", value: 0 },
    { name: "green", value: 1 },
    { name: "blue", value: -5 },
  ],
};

export const fixed = (values) => ({ kind: "fixed", values });
export function strings(values) {
  const parts = values.map((value) => Buffer.from(value));
  const offsets = new Int32Array(parts.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i] + part.length;
  });
  return { kind: "variable", offsets, bytes: new Uint8Array(Buffer.concat(parts)) };
}
export function sequences(lists, values) {
  const offsets = new Int32Array(lists.length + 1);
  lists.forEach((list, i) => {
    offsets[i + 1] = offsets[i] + list.length;
  });
  return { kind: "sequence", offsets, values };
}
export const times = (count, value) => Array.from({ length: count }, (_, i) => value(i));
export const attribute = (type, shape, values) => ({ type, shape, values });

/** Value i of an array: the same formula is in the Python test. */
export const noise = (i) => (i * 7919 + 13) % 251;

export const NUMBERS = {
  i1: [int(8), Int8Array],
  u1: [int(8, false), Uint8Array],
  i2: [int(16), Int16Array],
  u2: [int(16, false), Uint16Array],
  i4: [int(32), Int32Array],
  u4: [int(32, false), Uint32Array],
  i8: [int(64), BigInt64Array],
  u8: [int(64, false), BigUint64Array],
  f4: [float(32), Float32Array],
  f8: [float(64), Float64Array],
};
export const numbers = (Type, count) =>
  Type.from(
    times(count, (i) => (Type === BigInt64Array || Type === BigUint64Array ? BigInt(noise(i) % 100) : noise(i) % 100)),
  );

export async function put(group, name, description, values, rows, step = rows) {
  const array = await group.array(name, description);
  for (let from = 0; from < rows; from += step) {
    const to = Math.min(from + step, rows);
    await array.write(typeof values === "function" ? values(from, to) : values, to - from);
  }
  await array.close();
}
