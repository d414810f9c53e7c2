// BROWSER.md: the figures of pages, with other libraries beside them.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const versionIn = (folder, name) =>
  JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;

const line = ({ title, ours, theirs, peer }) =>
  `| ${title} | ${ours.toFixed(2)} s | ${theirs.toFixed(2)} s | ${(theirs / ours).toFixed(1)} | ${peer} |`;

export function browserPage({ rows, started, machine, load, repeat, version, peers }) {
  const here = ["h5wasm", "zarrita"].map((name) => `${name} ${versionIn(".", name)}`);
  return `# Pages

${started}, ${machine}, Chromium ${version}, ${[...here, `hyparquet-writer ${versionIn(peers, "hyparquet-writer")}`].join(", ")}.

    node bench/browser/run.mjs --peers FOLDER --repeat ${repeat} --out bench/BROWSER.md

The load average was ${load} at the start. Each run has a page of its own, whose scripts are loaded; the two sides take turns, and
medians of ${repeat} runs are given. Where both sides read a matrix, the sums of its values are equal.

|  | annarrow | peer | times as fast | the peer |
| --- | --- | --- | --- | --- |
${rows.map(line).join("\n")}
`;
}
