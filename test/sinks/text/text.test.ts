import { readFileSync } from "node:fs";
import {
  type Data,
  Decimal,
  Dictionary,
  Field,
  Float16,
  Float32,
  Float64,
  Int8,
  Int32,
  List,
  makeData,
  Table,
  TimestampMicrosecond,
  TimestampSecond,
  tableFromIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCellFormatter, createFlatFormatter } from "../../../src/arrow/apache/cell-text.js";
import { formatIsoDate, formatIsoDuration, formatIsoTimestamp } from "../../../src/arrow/iso-time.js";
import { csv } from "../../../src/sinks/text/csv.js";
import { encodeJson } from "../../../src/sinks/text/json.js";
import { encodeMarkdown } from "../../../src/sinks/text/markdown.js";
import { tableOf, textOf } from "../dataset-of.js";

const types: Table = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
const asCsv = (...names: string[]) => textOf(csv(tableOf("t", types.select(names)), {}));

test("CSV quotes what needs it, and tells null from the empty text", async () => {
  expect((await asCsv("int8", "utf8")).split("\n").slice(0, 8)).toEqual([
    "int8,utf8",
    ",",
    '127,""',
    "-128,ü€😀",
    ",",
    "-128, z",
    "127,a",
    ",",
  ]);
  const text = await asCsv("utf8");
  expect(text).toContain('"x,""y""\n"');
});

describe("safeText", () => {
  // The beginnings that https://owasp.org/www-community/attacks/CSV_Injection lists.
  const formulas = ["=1+1", "+cmd", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("x","y")'];
  const harmless = ["a=1", "-1.5", "+7", "-2e-3", ".5", "'=1", " =1", ""];
  const values = [...formulas, ...harmless, null];
  const cells = vectorFromArray(values, new Utf8());
  const categories = vectorFromArray(["=a", "b", "=a"], new Dictionary(new Utf8(), new Int32()));

  test("text that begins as a formula gets a ', as text and as categories", async () => {
    const table = tableOf(
      "t",
      new Table({
        "=name": cells,
        n: vectorFromArray(
          values.map((_, i) => -i),
          new Int32(),
        ),
      }),
    );
    const lines = await textOf(csv(table, { safeText: true, delimiter: ";" }));
    const field = (text: string) => (/["\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text);
    const expected = [...formulas.map((text) => `'${text}`), ...harmless].map(field);
    expect(lines).toBe(`'=name;n\n${[...expected, ""].map((text, i) => `${text};${-i}\n`).join("")}`);
    const named = tableOf("t", new Table({ c: categories }));
    expect(await textOf(csv(named, { safeText: true }))).toBe("c\n'=a\nb\n'=a\n");
  });

  test("without it, text is written as it is", async () => {
    expect(await textOf(csv(tableOf("t", new Table({ c: categories }))))).toBe("c\n=a\nb\n=a\n");
  });
});

test("TSV quotes tabs and leaves commas", async () => {
  const table = tableOf("t", types.select(["utf8", "int8"]));
  expect(await textOf(csv(table, { delimiter: "\t" }))).toContain('"x,""y""\n"\t');
});

test("integers of 64 bits keep all digits, floats are the shortest of their width", async () => {
  const lines = (await asCsv("int64", "uint64", "float16", "float32", "float64")).split("\n");
  expect(lines[2]).toBe("9223372036854775807,18446744073709551615,-0,-0,-0");
  expect(lines[3]).toBe("-9223372036854775808,0,NaN,NaN,NaN");
  expect(lines[5]).toBe("-9223372036854775808,0,-Infinity,-Infinity,-Infinity");
  expect(lines[9].split(",").slice(2)).toEqual(["3.25", "3.25", "3.25"]);
});

test("times are ISO 8601, bytes hexadecimal", async () => {
  const lines = (await asCsv("timestamp_s", "timestamp_ns", "duration_ms", "fixed_binary", "bool")).split("\n");
  expect(lines[2]).toBe("1969-12-31T23:59:59,1969-12-31T23:59:59.999999999,-PT0.001S,6162,false");
});

test("CSV refuses nested columns, and says what to do", async () => {
  await expect(asCsv("int8", "list")).rejects.toThrow(/t: column "list" is List<Int64>.*write \.parquet or \.arrow/);
});

test("JSON lines have one object per row", async () => {
  const names = ["uint64", "float32", "fixed_list", "list_struct", "complex", "dictionary_int8"];
  const lines = (await textOf(encodeJson(tableOf("t", types.select(names))))).trimEnd().split("\n");
  expect(lines).toHaveLength(20);
  expect(lines[2]).toBe(
    '{"uint64":0,"float32":"NaN","fixed_list":[1,2],"list_struct":[{"index":1,"value":2.5}],"complex":{"real":2,"imag":2},"dictionary_int8":null}',
  );
});

test("JSON as an array is one JSON value", async () => {
  const table = tableOf("t", types.select(["utf8", "list"]), { batchRows: 7 });
  const rows: unknown = JSON.parse(await textOf(encodeJson(table, { array: true })));
  expect(rows).toHaveLength(20);
  expect(await textOf(encodeJson(tableOf("t", types.select(["utf8"]).slice(0, 0)), { array: true }))).toBe("[]\n");
});

describe("floats", () => {
  test("Float32 texts are the shortest that round to the value", () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true }), (value) => {
        const [data] = vectorFromArray([value], new Float32()).data;
        const text = createFlatFormatter(data)(0) ?? "";
        expect(Object.is(Math.fround(Number(text)), value)).toBe(true);
        if (value !== 0) expect(text.length).toBeLessThanOrEqual(String(value).length);
      }),
    );
  });

  test("Float16 texts round to the value", () => {
    const values = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const data = makeData({ type: new Float16(), length: values.length, nullCount: 0, data: values });
    const text = createFlatFormatter(data);
    const numbers = new Vector([data]);
    for (let bits = 0; bits < 65536; bits += 7) {
      const value = numbers.get(bits) ?? Number.NaN;
      if (!Number.isFinite(value)) expect(text(bits)).toBe(String(value));
      else {
        const error = Math.abs(Number(text(bits)) - value);
        expect(error).toBeLessThanOrEqual(Math.max(Math.abs(value) * 2 ** -11, 2 ** -25));
      }
    }
    expect([0x2e66, 0x3555, 1].map((bits) => text(bits))).toEqual(["0.1", "0.3333", "6e-8"]);
  });
});

test("decimals are exact", () => {
  const words = new Uint32Array(new BigInt64Array([-150n, -1n]).buffer);
  const data: Data = makeData({ type: new Decimal(2, 10, 128), length: 1, nullCount: 0, data: words });
  expect(createCellFormatter(data)(0)).toBe("-1.50");
});

test("a time with a zone is an instant", () => {
  const type = new TimestampMicrosecond("Europe/Berlin");
  const data: Data = makeData({ type, length: 1, nullCount: 0, data: BigInt64Array.of(1_500_000n) });
  expect(createCellFormatter(data)(0)).toBe("1970-01-01T00:00:01.5Z");
  expect(createCellFormatter(makeData({ type: new TimestampSecond(), length: 1, data: BigInt64Array.of(0n) }))(0)).toBe(
    "1970-01-01T00:00:00",
  );
});

describe("ISO times", () => {
  test("agree with Date wherever that reaches", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        const text = date.toISOString().replace(/\.?0*Z$/, "");
        expect(formatIsoTimestamp(BigInt(date.getTime()), 1000n).replace(/\.?0*$/, "")).toBe(
          text.replace(/\.?0*$/, ""),
        );
      }),
    );
  });

  test("days and spans", () => {
    expect(formatIsoDate(-719468n)).toBe("0000-03-01");
    expect(formatIsoDate(11016n)).toBe("2000-02-29");
    expect(formatIsoDuration(-1_500n, 1000n)).toBe("-PT1.5S");
    expect(formatIsoTimestamp(-(2n ** 63n), 1_000_000_000n)).toBe("1677-09-21T00:12:43.145224192");
  });
});

test("CSV writes nested columns as JSON where that is asked for", async () => {
  const table = tableOf("t", types.select(["list_struct", "fixed_list"]));
  const lines = (await textOf(csv(table, { nested: "json" }))).split("\n");
  expect(lines[3]).toBe('"[{""index"":1,""value"":2.5}]","[1,2]"');
});

test("Markdown has a line for each row, with numbers to the right", async () => {
  const table = new Table({
    "a|b": vectorFromArray(["x|y", "two\r\nlines", null, "", "back\\slash <b>"], new Utf8()),
    n: vectorFromArray([1, null, -2.5, Number.NaN, 0], new Float64()),
    list: vectorFromArray([[1, 2], null, [], [3], [4]], new List(new Field("item", new Int8()))),
  });
  expect(await textOf(encodeMarkdown(tableOf("t", table, { batchRows: 2 })))).toBe(
    [
      "| a\\|b | n | list |",
      "| --- | --: | --- |",
      "| x\\|y | 1 | [1,2] |",
      "| two<br>lines | NULL | NULL |",
      "| NULL | -2.5 | [] |",
      "|  | NaN | [3] |",
      "| back\\\\slash \\<b> | 0 | [4] |",
      "",
    ].join("\n"),
  );
});
