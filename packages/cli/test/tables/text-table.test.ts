import { expect, test } from "vitest";
import { escapeControlChars } from "../../../../src/api/display/plain.js";
import { countTerminalColumns, formatTextTable, TextTable } from "../../src/tables/text-table.js";

const COLUMNS = [
  { title: "name", align: "left" as const },
  { title: "n", align: "right" as const },
];

test("numbers stand to the right, and there are no borders", () => {
  expect(
    formatTextTable(COLUMNS, [
      ["a", "1,000"],
      ["long name", null],
      ["é", "7"],
    ]),
  ).toBe("name           n\na          1,000\nlong name   NULL\né              7\n");
});

test("no line is wider than the terminal", () => {
  const rows = [
    ["x".repeat(100), "1"],
    ["日本語".repeat(30), "22"],
  ];
  const lines = formatTextTable(COLUMNS, rows, { width: 40 }).split("\n");
  for (const line of lines) expect(countTerminalColumns(line)).toBeLessThanOrEqual(40);
  expect(lines[1]).toMatch(/^x+… +1$/);
});

test("columns that find no place are counted", () => {
  const many = Array.from({ length: 30 }, (_, i) => ({ title: `column_${i}`, align: "left" as const }));
  const text = formatTextTable(many, [many.map(() => "value")], { width: 40 });
  expect(text).toMatch(/… 25 more columns\n$/);
});

test("more columns than one call takes arguments find no place either, and wide ones shrink to the narrowest", () => {
  const many = Array.from({ length: 200_000 }, (_, i) => ({ title: `column_${i}`, align: "left" as const }));
  expect(formatTextTable(many, [], { width: 22 })).toBe("colum…  colum…  colum…\n… 199997 more columns\n");
});

test("colours only where they are wanted", () => {
  expect(formatTextTable(COLUMNS, [[null, null]], { color: true })).toContain("\u001b[2mNULL");
  expect(formatTextTable(COLUMNS, [[null, null]])).not.toContain("\u001b");
});

test("a terminal obeys nothing that stands in a file", () => {
  expect(escapeControlChars("a\u001b]0;x\u0007\n\t\u202e")).toBe("a\\u001b]0;x\\u0007\\n\\t\\u202e");
  expect(escapeControlChars("ü日😀")).toBe("ü日😀");
});

test("a later block widens the columns, and has no title", () => {
  const table = new TextTable(COLUMNS, {});
  expect(table.block([["a", "1"]])).toBe("name  n\na     1\n");
  expect(
    table.block([
      ["a name", "10"],
      ["b", "2"],
    ]),
  ).toBe("a name  10\nb        2\n");
  expect(table.block([["c", "3"]])).toBe("c        3\n");
  expect(table.end()).toBe("");
});
