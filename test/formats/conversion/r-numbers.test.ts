import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Bool,
  type DataType,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  Table,
  tableFromArrays,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { expect, test } from "vitest";
import { open, write } from "../../../packages/published/src/node.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-r-numbers-"));
const TYPES: readonly DataType[] = [
  ...[new Int8(), new Int16(), new Int32(), new Int64(), new Uint8(), new Uint16(), new Uint32(), new Uint64()],
  ...[new Float32(), new Float64(), new Bool()],
];
const ROWS = [
  [1, 0],
  [0, 1],
  [1, 1],
];
const table = (type: DataType): Table => {
  const isWide = type instanceof Int64 || type instanceof Uint64;
  const values = ROWS.map((row) => row.map((one) => (isWide ? BigInt(one) : type instanceof Bool ? one === 1 : one)));
  return new Table({ value: vectorFromArray(values, new FixedSizeList(2, new Field("item", type, false))) });
};
const names = (...all: string[]) => new Table({ _index: vectorFromArray(all, new Utf8()) });
const BASE = {
  X: tableFromArrays({ row: Int32Array.of(0, 2), col: Int32Array.of(1, 0), value: Float64Array.of(0.5, 7) }),
  obs: names("a", "b", "c"),
  var: names("g0", "g1", "g2"),
};
const PLACES = ["obsm/X_", "varm/", "uns/matrix_"];

test.each(["numbers.h5seurat", "numbers.seurat.rds", "numbers.sce.rds"])(
  "matrices of all numbers in %s",
  async (file) => {
    const path = join(folder, file);
    const given = TYPES.flatMap((type) => PLACES.map((place) => [`${place}${type}`, table(type)] as const));
    await write(path, { ...BASE, ...Object.fromEntries(given) });
    const data = await open(path);
    expect([...data.failures.values()].map(String)).toEqual([]);
    for (const [name] of given) {
      // Seurat has uns below misc.
      const own = data.tables.has(name) ? name : name.replace("uns/", "uns/misc/");
      const read = (await data.table(own).read()).getChild("value");
      expect(
        Array.from(read ?? [], (row) => Array.from(row, Number)),
        name,
      ).toEqual(ROWS);
    }
    await data.close();
  },
);

test("R's NA among whole numbers is refused, by name", async () => {
  const size = new FixedSizeList(1, new Field("item", new Int32(), false));
  const places = new Table({ value: vectorFromArray([[0], [-(2 ** 31)], [5]], size) });
  await expect(write(join(folder, "na.h5seurat"), { ...BASE, "obsm/X_own": places })).rejects.toThrow(
    "obsm/X_own: the number -2147483648, which R takes for NA",
  );
});
