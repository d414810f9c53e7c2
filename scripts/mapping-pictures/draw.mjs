/** Boxes, grids, tables and arrows as SVG, in colours that are variables of the page around, or of the picture itself. */

const CELL = 26;

const STYLE = `<style>
:root { --ink: #20262e; --faint: #66707c; --line: #b4bcc6; --paper: #ffffff; --fill-a: #d6e6f8; --fill-b: #fbe3c6; --fill-c: #d8efdc }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --faint: #a0a9b5; --line: #58616d; --paper: #1b1b1f; --fill-a: #23456b; --fill-b: #5f4420; --fill-c: #27502f }
}
</style>`;

const escaped = (value) => String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A picture with a title for those who do not see it. */
export function picture(width, height, title, ...parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="13">
${STYLE}
<rect width="${width}" height="${height}" fill="var(--paper)"/>
${parts.flat(9).join("\n")}
</svg>
`;
}

export function text(x, y, value, { size = 13, anchor = "start", color = "ink", mono = false, bold = false } = {}) {
  const font = mono ? ' font-family="ui-monospace, monospace"' : "";
  const weight = bold ? ' font-weight="600"' : "";
  return `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}" fill="var(--${color})"${font}${weight}>${escaped(value)}</text>`;
}

export function box(x, y, width, height, fill = "paper") {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="var(--${fill})" stroke="var(--line)"/>`;
}

/** A matrix of values; those that `marks` names by "row,column" are filled. */
export function grid(x, y, rows, { cell = CELL, fill = () => "paper" } = {}) {
  return rows.map((row, i) =>
    row.map((value, j) => [
      box(x + j * cell, y + i * cell, cell, cell, fill(value, i, j)),
      text(x + (j + 0.5) * cell, y + (i + 0.5) * cell + 4.5, value, { anchor: "middle", size: 12 }),
    ]),
  );
}

/** A table: names of columns, their types below, and rows. `widths` are those of the columns. */
export function table(x, y, columns, rows, { widths, fills = [] }) {
  const left = widths.map((_, j) => x + widths.slice(0, j).reduce((a, b) => a + b, 0));
  const head = columns.map(([name, type], j) => [
    text(left[j] + 8, y + 14, name, { bold: true, mono: true, size: 12 }),
    text(left[j] + 8, y + 30, type, { color: "faint", size: 11 }),
  ]);
  const body = rows.map((row, i) =>
    row.map((value, j) => [
      box(left[j], y + 38 + i * 22, widths[j], 22, fills[j] ?? "paper"),
      text(left[j] + 8, y + 53 + i * 22, value, { mono: true, size: 12, color: value === "null" ? "faint" : "ink" }),
    ]),
  );
  return [head, body];
}

/** An arrow to the right, with words above. */
export function arrow(x, y, length, words = "") {
  return [
    `<path d="M${x} ${y}h${length - 2}m-7 -5l7 5l-7 5" fill="none" stroke="var(--faint)" stroke-width="1.6"/>`,
    words === "" ? [] : text(x + length / 2, y - 9, words, { anchor: "middle", size: 11, color: "faint" }),
  ];
}

/** Names of what is stored: one line each. */
export function label(x, y, value) {
  return text(x, y, value, { mono: true, size: 12, color: "faint" });
}
