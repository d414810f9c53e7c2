// RESULTS.md: the figures of all cases, with the aim beside each.

const s = (seconds) => seconds.toFixed(seconds < 1 ? 3 : 2);
const mib = (bytes) => (bytes / 2 ** 20).toFixed(bytes < 2 ** 24 ? 1 : 0);
const times = (ratio) => ratio.toFixed(ratio < 10 ? 2 : 0);
const many = (count) => {
  if (count < 1e6) return String(Math.round(count));
  return count < 1e9 ? `${Math.round(count / 1e6)} M` : `${(count / 1e9).toFixed(2)} G`;
};
const met = (is) => (is ? "met" : "**missed**");

/** Rows of one case: ours, then every peer with how many times as fast ours is. */
export function caseRows(one, sides, sizes) {
  const [ours, ...peers] = sides;
  const file = (i) => (sizes[i] === undefined ? "" : mib(sizes[i]));
  const whole = (side) => (one.clock === "whole" ? "" : s(side.whole));
  const row = (title, name, side, i, ratio, aim) =>
    [title, name, s(side.median), s(side.minimum), whole(side), s(side.cpu), mib(side.peak), file(i), ratio, aim].join(
      " | ",
    );
  const busy = ({ cpu, median }) => (one.cores ? [`${(cpu / median).toFixed(1)} cores busy`] : []);
  const own = [...busy(ours)];
  if (one.memory) own.push(`${one.memory} MiB: ${met(ours.peak < one.memory * 2 ** 20)}`);
  if (one.smaller) {
    const factor = Number(one.smaller);
    const most = factor === 1 ? "" : `${factor} x `;
    own.push(`written: not more than ${most}the peer: ${met(sizes[0] <= factor * sizes[1])}`);
  }
  for (const { count, unit, least } of one.rates ?? []) {
    const rate = count / ours.median;
    own.push(`${many(least)} ${unit}/s: ${many(rate)}, ${met(rate >= least)}`);
  }
  for (const { seconds, of } of one.within ?? []) own.push(`${of}, ${s(seconds)} s: ${met(ours.median <= seconds)}`);
  if (one.sum) {
    const both = (one.sumFactor ?? 1) * (peers[0].median + peers[1].median);
    own.push(`at most ${one.sum}, ${s(both)} s: ${met(ours.median <= both)}`);
  }
  if (one.beyond) {
    const more = ours.median - peers[0].median;
    own.push(`${one.beyond} s beyond Node: ${s(more)} s, ${met(more < one.beyond)}`);
  }
  const rows = [row(one.title, "annarrow", ours, 0, "", own.join("; "))];
  peers.forEach((side, i) => {
    const { name, aim, atMost } = one.peers[i];
    const ratio = side.median / ours.median;
    const wholly = side.whole / ours.whole;
    const ratios = [times(ratio), times(side.minimum / ours.minimum), ...(one.bothClocks ? [times(wholly)] : [])];
    const reached = (as) => met(atMost ? 1 / as <= aim : as >= aim);
    const wanted = atMost ? `ours takes at most ${aim} x its time` : `${aim} x`;
    const bare = one.clock === "whole" && name.startsWith("node");
    const also = one.bothClocks ? `; as a whole: ${reached(wholly)}` : "";
    const notes = [...(aim === undefined ? [] : [`${wanted}: ${reached(ratio)}${also}`]), ...busy(side)];
    rows.push(row("", name, side, i + 1, bare ? "" : ratios.join(" / "), notes.join("; ")));
  });
  return rows.map((text) => `| ${text} |`);
}

/** Time for each stored value and peak memory by size, and whether these stay the same. */
export function scalingLines(cases) {
  const found = cases.filter(({ one, sides }) => one.millions && sides);
  if (found.length < 2) return [];
  const head = ["stored values", ...found.map(({ one }) => `${one.millions} M`)];
  const names = ["annarrow", "peer"];
  const lines = [head, head.map(() => "---")];
  for (const [i, name] of names.entries()) {
    if (!found.every(({ sides }) => sides[i])) continue;
    const each = ({ one, sides }) => ((sides[i].median / one.millions) * 1000).toFixed(1);
    lines.push([`${name}: ns for each`, ...found.map(each)]);
    lines.push([`${name}: peak MiB`, ...found.map(({ sides }) => mib(sides[i].peak))]);
  }
  const text = lines.map((cells) => `| ${cells.join(" | ")} |`);
  const peak = (millions) => found.find(({ one }) => one.millions === millions)?.sides[0].peak;
  const [small, large] = [peak(50), peak(400)];
  if (small && large) {
    const more = large / small - 1;
    text.push(
      "",
      `Peak memory at 400 M against 50 M: ${(more * 100).toFixed(0)} % (aim: at most 15 %): ${met(more <= 0.15)}.`,
    );
  }
  return text;
}

const PARTS = `
In the cases of parts every side ends with a store that is complete; ours is on the disk then, too. Chunks that are kept are
measured with \`sync\` on both sides. The 20 files have 5 M stored values each; for 200 they are read ten times, and the result has
1 G. Cases that have no peer run once.
`;

const QUERY = `
Statements are whole commands, \`annarrow query\`, with native DuckDB or DuckDB-WASM, which prints one row that the peer finds
too; no copy by genes is used but where the title says so. The matrix of 400 M stored values has 182,000 cells and 20,000 genes
(\`make_sizes.py\`). The bucket is a thread of the
benchmarks, which serves ranges of the file. With the first gene that a process reads comes all that is compiled and looked up
for it.
`;

const BPCELLS = `
The cases of BPCells do their task five times in each process and give the median. Their matrix is the same, with genes as
rows and one column a cell; packed it takes 78 MiB. Their peers are the bpcells package 0.3.0rc2 (\`bpcells_peer.py\`), which reads
packed matrices of integers alone, and crashes in long reads, so it reads 250 columns at a time, and BPCells itself in R, one
thread (\`bpcells_peer.R\`), which is C++: it has the whole matrix in memory where we make batches one after the other, and counts
fragments where we make tables. "One core" is \`taskset\`.
`;

const LOOM = `
The Loom file holds the same matrix as loompy writes it (\`make_loom.py\`): genes x cells, float32, chunks of 64 x 64, gzip 2.
Its peer is loompy 3.0.8 (\`loom_peer.py\`), which reads and writes the whole matrix twice or in one piece. Rows and
columns are those of a file that is open; "the first" is the first that a process reads, and with it all that is
loaded, compiled and looked up for it.
`;

const MATLAB = `
The files are as MATLAB stores them (\`make_matlab.py\`): a matrix of 8,192 x 16,384 doubles, 1 GiB, in chunks of 64 KiB with gzip 3
(337 MiB) or in one piece; structs as EEGLAB's; the same sparse matrix, genes x cells, with doubles and indices of 64 bits. Their
peers are mat73 0.65, hdf5storage 0.1.19 and h5py 3.16 (\`matlab_peer.py\`). Of the dense matrix every side makes a table with one
list of doubles for each row, which is the other order than that of the file; ours gives batches one after the other, where theirs
is in memory as a whole. Of files with references we make every table, they make Python objects. hdf5storage did not finish the
file of 6,411 references within nine minutes on a busy machine, so it stands beside a file of 663, of the same kinds.
h5py reads and writes the three arrays of a sparse matrix and nothing else.
`;

const R = `
The object is one of Seurat 4 with the same matrix, whose values are doubles, as \`saveRDS\` of R writes it: one stream of gzip,
660 MB uncompressed. The peer is R itself (\`r_peer.R\`), which has vectors in memory afterwards and no tables. The time of
writing has that of reading and decoding the \`.h5ad\` file in it; R begins with the object in memory.
`;

const PLAIN = `
The array has 2^27 doubles, sums of steps with two decimals; the frame 1 M rows of integers, floats, booleans and times, in the
format table with text, too, in the chunks that PyTables chooses (\`make_plain.py\`). Their peers are h5py, which reads a million
values at a time, and pandas 2.3 with PyTables 3.11 (\`plain_peer.py\`), whose frame is in memory as a whole, where our batches come one after the
other.
`;

const UNION = `
The 40 files are the 20 with other genes in other orders (\`make_concat.py\`), twice. concat_on_disk leaves the entries of a row in
the order of the input; its result is read by 2,000 rows and written by pyarrow, uncompressed files between are removed. TileDB-SOMA
ingests one file after the other, into one experiment with registered genes and cells (\`union_peer.py\`). The floor inflates all
chunks, gives each entry a new column and encodes row groups, by the kernels of the library, on all cores; it opens, checks, sorts and
adds up nothing. The many files have 2,000 genes and 100 to 149 cells each (\`make_union.py\`); \`.h5ad\` of 50 kinds under 10,000 names.
`;

const FLIGHT = `
In the cases of Flight one process is the client, pyarrow 26 (\`flight_client.py\`), which adds up all values as they arrive, and
one the server, either \`annarrow serve\`, which decodes the file for every client anew, or one of pyarrow (\`flight_peer.py\`),
which has the same table in memory and sends batches of the same size. Memory is that of the server; CPU is that of
both, for the task alone. The servers have sent one endpoint before the clock starts. A batch has 1.9 MB, an
endpoint 66 MB. Of the 50 clients 40 read one endpoint each, of ten in all, and ten take a batch every half second. Client
and server share the cores of one machine: where one endpoint at a time keeps all of them busy, two cannot be faster.
`;

/**
 * The whole page.
 * @param cases each with `one` (the case), and `sides` and `sizes` or `failure`.
 */
export function page({ machine, versions, command, started, rounds, noise, cases }) {
  const head = ["", "", "median s", "minimum s", "whole s", "CPU s", "peak MiB", "written MiB", "times as fast", "aim"];
  const columns = [head, head.map(() => "---")].map((cells) => `| ${cells.join(" | ")} |`);
  const sections = [...new Set(cases.map(({ one }) => one.section))].map((section) => {
    const mine = cases.filter(({ one }) => one.section === section);
    const rows = mine.flatMap(({ one, sides, sizes, failure }) =>
      failure
        ? [`| ${one.title} | failed: ${failure.replace(/[|\n]/g, " ").slice(0, 300)} |`]
        : caseRows(one, sides, sizes),
    );
    const clock = mine[0].one.clock === "whole" ? "Whole processes." : "Inside the process.";
    return [`## ${section}`, "", clock, "", ...columns, ...rows, ...["", ...scalingLines(mine)]].join("\n").trimEnd();
  });
  return `# Benchmarks

${started}, ${machine}; ${versions}.

    ${command}

Each run is a process of its own; the sides of a case run in turn, in alternating order, ${rounds} ${rounds === 1 ? "round" : "rounds"} after one that
does not count and fills the page cache; every run waits for a machine that does nothing else. ${noise}
"Inside" is the time of the task: without the start of the interpreter and its imports (apache-arrow among them where the
result is Arrow), with the start of our workers and whatever else the library loads when it needs it.
"Whole" is the median time of the process from its start to its end. "Times as fast" is the peer's time divided by ours, by
medians / minima, and where aims hold for whole processes too, by these. Memory is the largest resident size of a
process in any round, CPU that of the whole process. Where a case has peers, all sides are checked to find the same values.

The matrix has 25,000 x 20,000 cells with 55 M stored values, drawn at random (\`make_matrix.py\`); coordinate tables
have a row for each. The peers are \`peer.py\`: what a user writes with these libraries. anndata reads X as it is stored,
8 bytes a value, where our batches in coordinate layout have 12.

Stores that we write are flushed to the disk within the time; those of the peers are not, except "as many bytes to the
disk", which is one file written from beginning to end in pieces of 16 MiB.
${cases.some(({ one }) => one.id.startsWith("parts")) ? PARTS : ""}${cases.some(({ one }) => one.id.startsWith("query")) ? QUERY : ""}${cases.some(({ one }) => one.id.startsWith("bpcells")) ? BPCELLS : ""}${cases.some(({ one }) => one.id.startsWith("loom")) ? LOOM : ""}${cases.some(({ one }) => one.id.startsWith("mat-")) ? MATLAB : ""}${cases.some(({ one }) => /^(plain|hdfstore)/.test(one.id)) ? PLAIN : ""}${cases.some(({ one }) => one.id.startsWith("flight")) ? FLIGHT : ""}${cases.some(({ one }) => one.id.startsWith("union")) ? UNION : ""}${cases.some(({ one }) => one.id.startsWith("r-")) ? R : ""}
${sections.join("\n\n")}
`;
}
