/** Changes that a format's structure suggests: loops of links, sizes at their bounds, counts without data. */

import { type Mutation, overwrite, splice } from "./change.js";
import { bytesOfValue, type Field, numberIn, type Structure } from "./fields.js";
import type { Random } from "./random.js";

const UNDEFINED = 2n ** 64n - 1n;

export function aimedChange(bytes: Uint8Array, { fields, borders, footer }: Structure, random: Random): Mutation {
  const here = fields.filter(({ start, width }) => start + width <= bytes.length);
  const kind = random.below(12);
  if (here.length === 0 || (kind === 0 && borders.length > 0)) return cut(bytes, borders, random);
  if (kind === 1 && borders.length > 2) return copied(bytes, borders, random);
  if (kind === 2 && borders.length > 1) return withoutData(bytes, here, borders, random);
  const links = here.filter(({ role }) => role === "object" || role === "address");
  const one = links.length > 0 && random.chance(0.4) ? random.pick(links) : random.pick(here);
  const alike = here.filter(({ role }) => role === one.role);
  if (kind === 3 && one.role !== "tag") return exchanged(bytes, one, random.pick(alike));
  const value = aimedValue(bytes, one, alike, borders, random);
  if (footer !== undefined && one.coding === "varint" && one.start >= footer && random.chance(0.5)) {
    return longer(bytes, one, value);
  }
  const { description, ...mutation } = overwrite(bytes, one.start, bytesOfValue(one, value));
  return { ...mutation, description: `${one.role} at ${one.start} becomes ${value} (${one.width} bytes)` };
}

function aimedValue(
  bytes: Uint8Array,
  one: Field,
  alike: readonly Field[],
  borders: readonly number[],
  random: Random,
): bigint {
  const own = numberIn(bytes, one);
  const other = () => numberIn(bytes, random.pick(alike));
  const before = BigInt(borders.findLast((at) => at <= one.start) ?? 0);
  switch (one.role) {
    case "object":
    case "address":
      return random.pick([
        other,
        other,
        // What it stands in, which for a link is its own group or the block of it, and what stands before or behind.
        () => before,
        () => BigInt(random.pick(borders.length > 0 ? borders : [0])),
        () => numberIn(bytes, alike[0]),
        () => BigInt(one.start),
        () => own + BigInt(random.pick([-8, -1, 1, 8])),
        () => BigInt(bytes.length - random.pick([0, 1, 8])),
        () => random.pick([0n, UNDEFINED, UNDEFINED - 1n, 2n ** 63n]),
      ])();
    case "tag":
      return random.pick([other, () => BigInt(random.below(256)), () => own ^ (1n << BigInt(random.below(16)))])();
    default:
      return random.pick([
        other,
        () => own + BigInt(random.pick([-2, -1, 1, 2])),
        () => own * 2n,
        () => own + 1n + BigInt(random.below(bytes.length)),
        () => BigInt(bytes.length + random.pick([-1, 0, 1])),
        () => powerOfTwo(one.coding === "varint" ? 7 * one.width : 8 * one.width, random),
        () => powerOfTwo(one.coding === "varint" ? 7 * one.width : 8 * one.width, random),
      ])();
  }
}

function powerOfTwo(bits: number, random: Random): bigint {
  return 2n ** BigInt(random.between(0, bits)) + BigInt(random.pick([-1, 0, 1]));
}

/** What follows a border is missing, or nothing but zeros. */
function cut(bytes: Uint8Array, borders: readonly number[], random: Random): Mutation {
  const inside = borders.filter((at) => at < bytes.length);
  const border = inside.length > 0 ? random.pick(inside) : random.below(bytes.length);
  const at = Math.max(0, Math.min(bytes.length - 1, border + random.pick([-1, 0, 0, 0, 1, 4, 8])));
  if (random.chance(0.5)) return splice(bytes, at, bytes.length - at, []);
  const end = inside.find((next) => next > at) ?? bytes.length;
  return overwrite(bytes, at, new Uint8Array(end - at));
}

/** A structure stands where another does. */
function copied(bytes: Uint8Array, borders: readonly number[], random: Random): Mutation {
  const inside = borders.filter((at) => at < bytes.length);
  const from = random.below(Math.max(1, inside.length - 1));
  const start = inside[from] ?? 0;
  const end = Math.min(inside[from + 1] ?? bytes.length, start + 4096);
  return { ...overwrite(bytes, random.pick(inside), bytes.slice(start, end)), wholeStructures: true };
}

/** The counts of one structure grow, and what it holds is nowhere. */
function withoutData(
  bytes: Uint8Array,
  fields: readonly Field[],
  borders: readonly number[],
  random: Random,
): Mutation {
  const counts = fields.filter(({ role }) => role === "count");
  const count = random.pick(counts.length > 0 ? counts : fields);
  const start = borders.findLast((at) => at <= count.start) ?? 0;
  const end = borders.find((at) => at > start) ?? bytes.length;
  const value = powerOfTwo(Math.min(8 * count.width, 62), random);
  const copy = bytes.slice();
  const changed = fields
    .filter(({ start: at, width }) => at >= start && at + width <= end)
    .filter(({ role }) => role === "count" || role === "address")
    .filter(() => random.chance(0.8));
  for (const field of changed) copy.set(bytesOfValue(field, field.role === "count" ? value : UNDEFINED), field.start);
  return {
    bytes: copy,
    changed: changed.map(({ start: at, width }) => ({ start: at, end: at + width })),
    inPlace: true,
    description: `${changed.length} counts and addresses from ${start} become ${value} and undefined`,
  };
}

function exchanged(bytes: Uint8Array, a: Field, b: Field): Mutation {
  const copy = bytes.slice();
  const [left, right] = [numberIn(bytes, a), numberIn(bytes, b)];
  copy.set(bytesOfValue(a, right), a.start);
  copy.set(bytesOfValue(b, left), b.start);
  const changed = [a, b].map(({ start, width }) => ({ start, end: start + width }));
  return { bytes: copy, changed, inPlace: true, description: `${a.role}s at ${a.start} and ${b.start} are swapped` };
}

/** A number of Parquet's footer that needs more bytes, with the footer's length as it is then. */
function longer(bytes: Uint8Array, { start, width }: Field, value: bigint): Mutation {
  const mutation = splice(bytes, start, width, bytesOfValue({ width: 10, coding: "varint" }, value));
  const end = mutation.bytes.length - 8;
  if (end < 0) return mutation;
  const view = new DataView(mutation.bytes.buffer);
  view.setInt32(end, view.getInt32(end, true) + 10 - width, true);
  return { ...mutation, description: `${mutation.description}: ${value}` };
}
