// The cases of `view-page.mjs`: each gives rows of its table, with the aim of each.

import { median } from "../statistics.mjs";
import { goTo, jump, longest, newPage, pageMemory, pan, shown, startServer } from "./browser.mjs";

/** No colour at first, so that the column is read when it is chosen. */
const PLOT = {
  ...{ table: null, axes: null, clip: [1, 99], split: null, size: null, opacity: null },
  colour: { by: "none" },
};
const EMBEDDING = { tab: "embedding", plot: PLOT };

const MILLION = 1_000_000;
const words = (cells) => `${cells / MILLION} M cells`;

/** A figure: milliseconds unless a unit says otherwise. `most` and `least` are aims. */
const row = (title, value, { unit = "ms", most, least, note = "" } = {}) => ({ title, value, unit, most, least, note });
const mebibytes = (bytes) => bytes / 2 ** 20;

/** From the command to the tree, and what the server needs of it. */
export async function tree({ browser, example }) {
  const runs = [];
  for (let run = 0; run < 5; run++) {
    const page = await newPage(browser);
    const server = await startServer(example);
    await goTo(page, server.url, {});
    await page.waitForFunction(() => window.treeAt !== undefined);
    runs.push({ listening: server.listening, painted: (await page.evaluate(() => window.treeAt)) - server.began });
    await page.context().close();
    await server.end();
  }
  const of = (name) => median(runs.map((run) => run[name]));
  return [
    row("`annarrow view examples/pbmc.h5ad` to the first paint of the tree, median of 5", of("painted"), {
      most: 1000,
    }),
    row("of that, until the server listens", of("listening")),
  ];
}

/** The embedding of many cells: first frame, colours, movement, memory. */
export async function embedding({ browser, file, cells }) {
  const isLarge = cells > MILLION;
  const page = await newPage(browser);
  const server = await startServer(file);
  await goTo(page, server.url, EMBEDDING);
  try {
    await shown(page, { state: "sample" });
    const first = Date.now() - server.began;
    await shown(page, { state: "whole" });
    const whole = Date.now() - server.began;
    const rows = [
      row(`command to the first frame of the embedding, ${words(cells)}`, first, isLarge ? {} : { most: 3000 }),
      row(`all points drawn, ${words(cells)}`, whole),
    ];
    for (const [column, kind] of [
      ["cell_type", "a category"],
      ["score", "a number"],
    ]) {
      await page.evaluate(() => window.restart());
      await page.getByLabel("Colour by column").selectOption(`column ${column}`);
      await shown(page, { colour: column });
      const at = await page.evaluate((name) => window.timeOf("colour", name), column);
      await shown(page, { colour: column, state: "whole" });
      const note = `longest task ${await longest(page)} ms`;
      rows.push(
        row(`colours of ${kind}, ${words(cells)}, first frame of the sample`, at, { most: isLarge ? 2000 : 400, note }),
      );
    }
    await page.evaluate(() => window.restart());
    const frames = await pan(page);
    rows.push(row(`pan, ${words(cells)}`, frames, { unit: "frames/s", least: 15 }));
    rows.push(row(`longest task meanwhile, ${words(cells)}`, await longest(page), { most: 100 }));
    await shown(page, { state: "whole" });
    rows.push(
      row(
        `whole picture after it, ${words(cells)}`,
        (await page.evaluate(() => window.timeOf("state", "whole"))) - 3000,
      ),
    );
    const memory = mebibytes(await pageMemory(browser));
    rows.push(row(`the page's process, ${words(cells)}`, memory, { unit: "MiB", ...(isLarge ? {} : { most: 381 }) }));
    rows.push(row(`the server, ${words(cells)}`, mebibytes(server.peak()), { unit: "MiB", most: 300 }));
    return rows;
  } finally {
    await page.context().close();
    await server.end();
  }
}

/** Colours by genes, from the matrix as it is stored by cells, and from a copy by genes that is made meanwhile. */
export async function genes({ browser, file, cells, cache }) {
  const page = await newPage(browser);
  const server = await startServer(file, ["--companion", cache]);
  await goTo(page, server.url, EMBEDDING);
  const colour = async (gene) => {
    await page.getByLabel("Colour by gene").fill(gene);
    await page.locator(".gene-list [role=option]").first().waitFor();
    await page.evaluate(() => window.restart());
    await page.keyboard.press("Enter");
    await shown(page, { colour: gene });
    const first = await page.evaluate((name) => window.timeOf("colour", name), gene);
    await page.waitForFunction(() => document.querySelector(".legend .reading") === null);
    const whole = await page.evaluate(() => Math.round(performance.now() - window.began()));
    await page.getByRole("button", { name: `Remove ${gene}` }).click();
    return { first, whole, task: await longest(page) };
  };
  try {
    await shown(page, { state: "whole" });
    const stored = await colour("gene3");
    const began = Date.now();
    for (let state = "making", action = "start"; state === "making"; action = "state") {
      state = JSON.parse(String(await server.ask({ call: "companion", action }))).state;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    const made = (Date.now() - began) / 1000;
    const copied = [];
    for (const gene of ["gene7", "gene90", "gene41", "gene133"]) copied.push(await colour(gene));
    const task = Math.max(...copied.map((one) => one.task));
    const which = `${words(cells)}, ${(cells * 50) / MILLION} M entries`;
    return [
      row(`colours of a gene as the file is stored, ${which}: first partial picture`, stored.first),
      row(`… all entries`, stored.whole, { note: `longest task ${stored.task} ms` }),
      row(`the copy by genes, in the background`, made, { unit: "s" }),
      row(
        `colours of a gene from the copy, ${which}, first frame of the sample, median of 4`,
        median(copied.map(({ first }) => first)),
        {
          ...{ most: 400, note: `the first ${copied[0].first} ms; longest task ${task} ms` },
        },
      ),
      row(`the server with all of this`, mebibytes(server.peak()), { unit: "MiB", most: 300 }),
    ];
  } finally {
    await page.context().close();
    await server.end();
  }
}

/** Jumps to any row of a table. */
export async function table({ browser, file, cells }) {
  const page = await newPage(browser);
  const server = await startServer(file);
  await goTo(page, server.url, {});
  try {
    await page.locator('[data-row="0"][data-column="0"]').waitFor();
    const times = [];
    for (let at = 1; at <= 40; at++) {
      times.push(await jump(page, Math.floor((at * 0.618_034 * cells) % cells)));
      // A reader looks at the rows, while those beside them are read.
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const sorted = times.toSorted((a, b) => a - b);
    return [
      row(`a jump to any row of ${(cells / MILLION).toFixed(0)} M, median of 40`, median(times), { most: 100 }),
      row("… nine of ten", sorted[35], { most: 100 }),
    ];
  } finally {
    await page.context().close();
    await server.end();
  }
}

/** Memory of a server that nobody looks at but us. */
export async function memory({ file, cells }) {
  const server = await startServer(file, ["--companion", "off"]);
  const steps = [
    [
      "an embedding and columns",
      async () => {
        for (const [name, columns] of [
          ["obsm/X_umap", ["value"]],
          ["obs", ["cell_type"]],
          ["obs", ["score"]],
        ]) {
          await server.ask({ call: "rows", table: name, columns });
        }
      },
    ],
    [
      "a table sorted by a column",
      () => server.ask({ call: "positions", table: "obs", sort: { column: "score", descending: true } }),
    ],
    ["SQL about all entries", () => server.ask({ call: "sql", sql: 'select count(*) as n, sum(value) as s from "X"' })],
    ["SQL with `gene()`", () => server.ask({ call: "sql", sql: "select count(*) as n from gene('gene3')" })],
    [
      "a half of the cells saved as .h5ad",
      () =>
        saved(server, { format: "h5ad", obs: { mask: Buffer.alloc(Math.ceil(cells / 8), 0x55).toString("base64") } }),
    ],
    ["obs saved as Parquet", () => saved(server, { format: "parquet" })],
  ];
  try {
    const rows = [];
    for (const [title, step] of steps) {
      const began = performance.now();
      await step();
      const took = performance.now() - began;
      rows.push(
        row(`the server after ${title}`, mebibytes(server.peak()), {
          unit: "MiB",
          most: 300,
          note: `${(took / 1000).toFixed(1)} s; with the processes that work for it ${mebibytes(server.together()).toFixed(0)} MiB meanwhile`,
        }),
      );
    }
    return rows;
  } finally {
    await server.end();
  }
}

async function saved(server, part) {
  const lines = String(await server.ask({ call: "save", ...part })).split("\n");
  const last = JSON.parse(lines.at(-1));
  if (last.path === undefined) throw new Error(last.message);
  await server.fetched(last.path);
}
