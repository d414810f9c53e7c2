/** The pictures of docs/mapping.md, by the names of their files. */

import { arrow, box, grid, label, picture, table, text } from "./draw.mjs";

const MATRIX = [
  ["", 3, ""],
  [1, "", 2],
  ["", 5, ""],
];
const filled = (value) => (value === "" ? "paper" : "fill-a");

/** The elements of an AnnData around X, and the tables of the same colours. */
function dataset() {
  const parts = [
    ["obs", 20, 76, 70, 100, "fill-b"],
    ["X", 100, 76, 130, 100, "fill-a"],
    ["layers", 110, 186, 120, 24, "fill-a"],
    ["var", 100, 36, 130, 30, "fill-c"],
    ["obsm", 240, 76, 60, 100, "fill-b"],
    ["uns", 240, 36, 60, 30, "paper"],
  ].map(([name, x, y, width, height, fill]) => [
    box(x, y, width, height, fill),
    text(x + width / 2, y + height / 2 + 5, name, { anchor: "middle", mono: true }),
  ]);
  const tables = [
    ["obs", "2,700 rows: one per cell", "fill-b"],
    ["var", "800 rows: one per gene", "fill-c"],
    ["X", "187,809 rows: one per stored entry", "fill-a"],
    ["layers/counts", "187,809 rows", "fill-a"],
    ["obsm/X_umap", "2,700 rows of 2 numbers", "fill-b"],
    ["uns/pca/variance_ratio", "20 rows: one per element", "paper"],
  ].map(([name, rows, fill], i) => [
    box(400, 30 + i * 32, 190, 26, fill),
    text(410, 47 + i * 32, name, { mono: true, size: 12 }),
    text(602, 47 + i * 32, rows, { size: 12, color: "faint" }),
  ]);
  return picture(
    840,
    232,
    "The elements of an AnnData file, and the table that each becomes",
    text(20, 20, "a file", { bold: true }),
    text(400, 20, "tables", { bold: true }),
    parts,
    arrow(318, 126, 64),
    tables,
  );
}

function sparse() {
  const entries = [
    ["0", "1", "3"],
    ["1", "0", "1"],
    ["1", "2", "2"],
    ["2", "1", "5"],
  ];
  return picture(
    840,
    170,
    "A sparse matrix, the three arrays that are stored of it, and its table of rows, columns and values",
    text(20, 20, "the matrix", { bold: true }),
    grid(20, 36, MATRIX, { fill: filled }),
    text(180, 20, "as stored (CSR)", { bold: true }),
    label(180, 53, "indptr"),
    grid(250, 36, [[0, 1, 3, 4]]),
    label(180, 93, "indices"),
    grid(250, 76, [[1, 0, 2, 1]]),
    label(180, 133, "data"),
    grid(250, 116, [[3, 1, 2, 5]], { fill: filled }),
    arrow(386, 88, 76, "coordinate"),
    text(490, 20, "the table X", { bold: true }),
    table(
      490,
      30,
      [
        ["row", "Int32"],
        ["col", "Int32"],
        ["value", "Float32"],
      ],
      entries,
      { widths: [70, 70, 90], fills: ["paper", "paper", "fill-a"] },
    ),
  );
}

function layouts() {
  const list = [["[{1, 3}]"], ["[{0, 1}, {2, 2}]"], ["[{1, 5}]"]];
  const dense = [["[0, 3, 0]"], ["[1, 0, 2]"], ["[0, 5, 0]"]];
  const columns = [
    ["0", "3", "0"],
    ["1", "0", "2"],
    ["0", "5", "0"],
  ];
  return picture(
    840,
    154,
    "The layouts list, dense and columns of the same matrix",
    text(20, 20, "the matrix", { bold: true }),
    grid(20, 36, MATRIX, { fill: filled }),
    text(150, 20, "list: a row per stored row", { bold: true }),
    table(150, 30, [["entries", "List<Struct<index, value>>"]], list, { widths: [180], fills: ["fill-a"] }),
    text(370, 20, "dense", { bold: true }),
    table(370, 30, [["value", "FixedSizeList<Float32>[3]"]], dense, { widths: [170], fills: ["fill-a"] }),
    text(580, 20, "columns (dense 2-D tables)", { bold: true }),
    table(
      580,
      30,
      [
        ["0", "Float32"],
        ["1", "Float32"],
        ["2", "Float32"],
      ],
      columns,
      { widths: [72, 72, 72], fills: ["fill-a", "fill-a", "fill-a"] },
    ),
  );
}

function dense() {
  const rows = [
    ["0.5", "1.2"],
    ["0.1", "0.9"],
    ["2.0", "1.1"],
  ];
  return picture(
    840,
    150,
    "A dense array of three rows and two columns, and its table with a list of two numbers in each row",
    text(20, 20, "obsm/X_umap, float32 (3, 2)", { bold: true }),
    grid(20, 40, rows, { cell: 34, fill: () => "fill-b" }),
    arrow(250, 92, 80),
    text(370, 20, "the table obsm/X_umap", { bold: true }),
    table(
      370,
      30,
      [["value", "FixedSizeList<Float32>[2]"]],
      rows.map((row) => [`[${row.join(", ")}]`]),
      { widths: [190], fills: ["fill-b"] },
    ),
  );
}

function categorical() {
  return picture(
    840,
    176,
    "A categorical column: codes and categories become a dictionary column, and the code -1 is null",
    text(20, 20, "as stored: cell_type", { bold: true }),
    label(20, 57, "codes"),
    grid(110, 40, [[0, 1, 0, -1]], { fill: () => "fill-b" }),
    label(20, 101, "categories"),
    grid(110, 84, [["T", "B", "NK"]], { cell: 34, fill: () => "fill-c" }),
    label(20, 145, "ordered"),
    grid(110, 128, [["no"]], { cell: 30 }),
    arrow(260, 96, 80),
    text(370, 20, "a column of obs", { bold: true }),
    table(370, 30, [["cell_type", "Dictionary<Int8, Utf8>"]], [["0 → T"], ["1 → B"], ["0 → T"], ["null"]], {
      widths: [170],
      fills: ["fill-b"],
    }),
    text(600, 20, "its dictionary: all categories", { bold: true }),
    table(600, 30, [["value", "Utf8"]], [["T"], ["B"], ["NK"]], { widths: [110], fills: ["fill-c"] }),
  );
}

function nullable() {
  return picture(
    840,
    154,
    "A nullable column: values and a mask become one column with nulls",
    text(20, 20, "as stored: age", { bold: true }),
    label(20, 61, "values"),
    grid(90, 42, [[34, 1, 51]], { cell: 32, fill: (_, __, j) => (j === 1 ? "paper" : "fill-b") }),
    label(20, 113, "mask"),
    grid(90, 94, [["no", "yes", "no"]], { cell: 32 }),
    arrow(250, 92, 80),
    text(370, 20, "a column of obs", { bold: true }),
    table(370, 30, [["age", "Int32, with a validity bitmap"]], [["34"], ["null"], ["51"]], {
      widths: [180],
      fills: ["fill-b"],
    }),
  );
}

function ragged() {
  return picture(
    840,
    154,
    "A ragged array: offsets and contents become a column of lists",
    text(20, 20, "as stored (awkward-array)", { bold: true }),
    label(20, 61, "offsets"),
    grid(110, 44, [[0, 2, 2, 3]]),
    label(20, 113, "contents"),
    grid(110, 96, [[1, 2, 3]], { fill: () => "fill-b" }),
    arrow(260, 92, 80),
    text(370, 20, "the table", { bold: true }),
    table(370, 30, [["value", "List<Int64>"]], [["[1, 2]"], ["[]"], ["[3]"]], { widths: [150], fills: ["fill-b"] }),
  );
}

function tree() {
  const nodes = [
    ["uns", 0],
    ["neighbors", 1],
    ["params", 2],
    ["n_neighbors: 8", 3],
    ["cell_type_colors: 8 texts", 1],
  ];
  const rows = [
    ["uns/neighbors", "dict", "", ""],
    ["uns/neighbors/params", "dict", "", ""],
    ["uns/neighbors/params/n_neighbors", "numeric-scalar", "[]", "8"],
    ["uns/cell_type_colors", "string-array", "[8]", '["#1f77b4", …]'],
  ];
  return picture(
    840,
    164,
    "The tree uns: each leaf is a table of its own, and the table uns lists all nodes",
    text(20, 20, "as stored", { bold: true }),
    nodes.map(([name, depth], i) => text(20 + depth * 16, 46 + i * 22, name, { mono: true, size: 12 })),
    arrow(218, 92, 40),
    text(270, 20, "the derived table uns (and a table per leaf)", { bold: true }),
    table(
      270,
      30,
      [
        ["path", "Utf8"],
        ["kind", "Utf8"],
        ["shape", "List<Int64>"],
        ["value", "Utf8, JSON"],
      ],
      rows,
      { widths: [252, 110, 82, 116] },
    ),
  );
}

export const PICTURES = {
  dataset: dataset(),
  sparse: sparse(),
  layouts: layouts(),
  dense: dense(),
  categorical: categorical(),
  nullable: nullable(),
  ragged: ragged(),
  tree: tree(),
};
