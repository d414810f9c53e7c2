/** The page of benchmarks: bars for the times and the memory in the tables of bench/*.md, each beside its peers. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { write } from "./pages.mjs";
import { ROOT } from "./repository.mjs";

const TITLES = {
  RESULTS: "AnnData: reading and exporting",
  WRITING: "AnnData: writing",
  PARTS: "Parts of files, and files put together",
  QUERY: "SQL, and single genes",
  UNION: "Many files as one dataset",
  LOOM: "Loom",
  MATLAB: "MATLAB",
  BPCELLS: "BPCells",
  PLAIN: "Generic HDF5, and dataframes of pandas",
  FLIGHT: "Arrow Flight",
};

/** The table of times of a section, as cells; it may have others. */
function timesOf(section) {
  const tables = section.split(/\n\s*\n/).map((part) => part.split("\n").filter((line) => line.startsWith("|")));
  const rows = tables.map((lines) =>
    lines.map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    ),
  );
  return rows.find(([head]) => head?.includes("median s")) ?? [[]];
}

/** The cases of a table of times, with a row for each side. */
function casesOf([head, , ...rows]) {
  const cases = [];
  for (const row of rows) {
    if (row[0] !== "" || cases.length === 0) cases.push({ name: row[0], sides: [] });
    const [seconds, memory] = ["median s", "peak MiB"].map((title) => Number.parseFloat(row[head.indexOf(title)]));
    if (Number.isFinite(seconds) && Number.isFinite(memory)) cases.at(-1).sides.push({ name: row[1], seconds, memory });
  }
  return cases.filter(({ sides }) => sides.some(isPeer));
}

/** Sections of a report that have times beside those of peers. */
function sections(text) {
  const parts = text.split(/^## /m).slice(1);
  const found = parts.map((part) => ({ title: part.split("\n", 1)[0], cases: casesOf(timesOf(part)) }));
  return found.filter(({ cases }) => cases.length > 0);
}

const isPeer = ({ name }) => !/^annarrow|^node -e/.test(name);

const escaped = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/`([^`]*)`/g, "<code>$1</code>");

function shown(value, unit) {
  if (unit === "MiB") return value >= 1024 ? `${(value / 1024).toFixed(1)} GiB` : `${value} MiB`;
  return value < 1 ? `${Number((1000 * value).toPrecision(3))} ms` : `${Number(value.toPrecision(3))} s`;
}

/** A bar, and its value behind it. */
function bar(side, sides, key, unit) {
  const width = Math.max(0.5, (100 * side[key]) / Math.max(...sides.map((one) => one[key]))).toFixed(1);
  const kind = isPeer(side) ? "peer" : "ours";
  return `<span class="bar ${kind}" style="width:${width}%"></span><span class="bar-value">${shown(side[key], unit)}</span>`;
}

function chart({ name, sides }) {
  const heading = name === "" ? "" : `<figcaption>${escaped(name)}</figcaption>`;
  const rows = sides.map((side) => {
    const [time, memory] = [bar(side, sides, "seconds", "s"), bar(side, sides, "memory", "MiB")];
    return `<span class="bar-side">${escaped(side.name)}</span>${time}${memory}`;
  });
  return `<figure class="bars">${heading}<div class="bar-list">${rows.join("")}</div></figure>`;
}

export function makeBenchmarks() {
  const parts = readdirSync(join(ROOT, "bench"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ name: name.slice(0, -3), found: sections(readFileSync(join(ROOT, "bench", name), "utf8")) }))
    .filter(({ found }) => found.length > 0);
  const order = Object.keys(TITLES);
  parts.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const text = parts.map(({ name, found }) => {
    const title = TITLES[name] ?? name;
    const charts = found.map((section) => `### ${section.title}\n\n${section.cases.map(chart).join("\n")}\n`);
    return `## ${title}\n\nThe figures, the machine and the way of measuring: [bench/${name}.md](bench/${name}.md).\n\n${charts.join("\n")}`;
  });
  write("benchmarks.md", `---\noutline: [2, 2]\n---\n\n${INTRODUCTION}\n${text.join("\n")}`);
}

const INTRODUCTION = `# Benchmarks

Bars are medians: first the seconds, then the largest memory of a process. Shorter is better. Each group has a scale of its own. Blue is annarrow, grey what a user writes with the named library. The charts are drawn from the reports in \`bench/\`, with the cases where the other side is faster. [The page of \`annarrow view\`](bench/VIEW.md) and [the library in pages](bench/BROWSER.md) have reports of their own.
`;
