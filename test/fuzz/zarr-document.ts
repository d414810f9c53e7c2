/** Changes to the JSON documents of a Zarr store that leave them JSON. */

import { type Mutation, splice } from "./change.js";
import type { Random } from "./random.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const TEXTS = [
  "",
  "<i8",
  ">f8",
  "|V0",
  "|V4294967296",
  "<U2147483647",
  "|S9007199254740993",
  "|O",
  "<M8[ns]",
  "int64",
  "string",
  "variable_length_utf8",
  "r9007199254740992",
  "gzip",
  "blosc",
  "sharding_indexed",
  "vlen-utf8",
  "C",
  "..",
  "/",
  "__proto__",
  "csr_matrix",
  "categorical",
  "dataframe",
  "array",
  "group",
];

/** null where the bytes are no JSON. */
export function documentChange(bytes: Uint8Array, random: Random): Mutation | null {
  let document: Json;
  try {
    document = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
  const paths = pathsOf(document, []);
  const path = random.pick(paths);
  const other = random.pick(paths);
  const [changed, what] = changedValue(at(document, path), at(document, other), random);
  const text = JSON.stringify(put(document, path, changed)) ?? "";
  const description = `/${path.join("/")}: ${what}`;
  return { ...splice(bytes, 0, bytes.length, Buffer.from(text)), description };
}

function changedValue(value: Json, other: Json, random: Random): [value: Json | undefined, what: string] {
  const number = () => 2 ** random.between(0, 64) + random.pick([-1, 0, 1]);
  switch (random.below(10)) {
    case 0:
      return [undefined, "is left out"];
    case 1:
      return [other, "takes another value of the document"];
    case 2:
      return [Array.from({ length: random.pick([1, 2, 33, 5000]) }, () => value), "is repeated in a list"];
    case 3: {
      let nested: Json = value;
      for (let i = 0; i < random.pick([1, 64, 3000]); i++) nested = random.chance(0.5) ? [nested] : { name: nested };
      return [nested, "is nested"];
    }
    case 4:
      return [random.pick(TEXTS), "becomes a text"];
    default: {
      if (Array.isArray(value)) {
        const list: Json[] = value;
        if (random.chance(0.3)) return [[...list, number()], "has a number more"];
        if (random.chance(0.3)) return [list.slice(1), "has one less"];
        return [list.map((one) => (random.chance(0.7) ? number() : one)), "becomes other numbers"];
      }
      if (typeof value === "string") return [random.pick(TEXTS), "becomes another text"];
      const chosen = random.chance(0.2) ? random.pick([0, -1, -number(), 0.5]) : number();
      return [chosen, `becomes ${chosen}`];
    }
  }
}

type Path = readonly (string | number)[];

function pathsOf(value: Json, path: Path): Path[] {
  if (value === null || typeof value !== "object") return [path];
  return [path, ...Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]))];
}

function at(value: Json, path: Path): Json {
  return path.reduce<Json>(
    (found, key) => Object.entries(found ?? {}).find(([name]) => name === String(key))?.[1] ?? null,
    value,
  );
}

function put(value: Json, path: Path, given: Json | undefined): Json | undefined {
  if (path.length === 0) return given;
  const [key, ...rest] = path;
  if (Array.isArray(value)) {
    const list: Json[] = value;
    return list.flatMap((one, i) => {
      const changed = String(i) === String(key) ? put(one, rest, given) : one;
      return changed === undefined ? [] : [changed];
    });
  }
  const entries = Object.entries(value ?? {}).map(([name, one]): [string, Json | undefined] => [
    name,
    name === String(key) ? put(one, rest, given) : one,
  ]);
  return Object.fromEntries(entries.flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])));
}
