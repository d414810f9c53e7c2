// VIEW.md: the figures of the page of `annarrow view`, with the aim beside each.

const number = (value, unit) =>
  unit === "ms" || unit === "MiB" ? Math.round(value).toLocaleString("en") : value.toFixed(1);

function aim({ value, unit, most, least }) {
  if (most === undefined && least === undefined) return "";
  const isMet = (most === undefined || value <= most) && (least === undefined || value >= least);
  const words = most === undefined ? `at least ${number(least, unit)}` : `at most ${number(most, unit)}`;
  return `${words}: ${isMet ? "met" : "**missed**"}`;
}

const line = (row) => `| ${row.title} | ${number(row.value, row.unit)} ${row.unit} | ${aim(row)} | ${row.note} |`;

/** @param head absent for the sections alone. */
export function viewPage({ sections, head }) {
  const tables = sections.map(({ title, rows }) =>
    [`## ${title}`, "", "|  | measured | aim |  |", "| --- | --- | --- | --- |", ...rows.map(line), ""].join("\n"),
  );
  if (head === undefined) return `${tables.join("\n")}\n`;
  return `# The page of \`annarrow view\`

${head.started}, ${head.machine}, ${head.versions}, 1280 x 800 pixels.

    ${head.command}

The load average was ${head.load} at the start. Chromium has no graphics card: the processor draws, on the cores that the page and the server
need, too. A browser that runs opens the page anew for each case; times begin where the title says so with the command, else
with the reader's gesture, and end with the picture, by the page's own clock. A long task is what keeps the page from an answer
for more than 50 ms. The made files (\`cells.mjs\`) have clusters of cells, 30 categories, a column of numbers, and a matrix of
200 genes with 4 entries a cell; those of the genes 50 a cell, so that each gene has entries in a quarter of the cells.

A picture of all points is drawn in slices after a sample of them (at most 100,000, and as many as 40 ms allow), which is what a
gesture moves; a frame of it is one draw call, and new colours upload one, two or four bytes a point. With a graphics card the same draw calls take the
card's time instead of the processor's.

${tables.join("\n")}`;
}
