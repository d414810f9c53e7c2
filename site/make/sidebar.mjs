/** The list of pages at the side: guides by job, formats, the reference, and what is behind it. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importBundled } from "../../scripts/import-bundled.mjs";
import { PAGES } from "./repository.mjs";

const GUIDES = [
  "start",
  "convert",
  "choose-cells",
  "join",
  "query",
  "page",
  "notebook",
  "pipelines",
  "cloud",
  "cluster",
  "r",
];
const DEEP = [
  "parts",
  "query",
  "duckdb",
  "polars",
  "python",
  "view",
  "companion",
  "union",
  "flight",
  "cloud",
  "bundlers",
];

/** Titles that are shorter at the side than at the top of the page, or that need their subject beside others. */
const TITLES = {
  "docs/r.md": "R: .rds and .RData",
  "docs/anndata.md": "AnnData",
  "docs/loom.md": "Loom",
  "docs/bpcells.md": "BPCells",
  "docs/zarr.md": "Zarr",
  "docs/matlab.md": "MATLAB",
  "docs/hdf5.md": "Other HDF5 and Zarr",
  "docs/parts.md": "Parts of datasets",
  "docs/companion.md": "Gene index",
};

function titleOf(path) {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(join(PAGES, path), "utf8")) ?? [];
  return TITLES[path] ?? title.replaceAll("`", "");
}

const item = (path) => ({ text: titleOf(path), link: `/${path.replace(/\.md$/, "").replace(/(^|\/)index$/, "$1")}` });
const items = (folder, names) =>
  names.filter((name) => existsSync(join(PAGES, folder, `${name}.md`))).map((name) => item(`${folder}/${name}.md`));

export async function sidebar() {
  const { listFormats } = await importBundled("src/model/formats/registry.ts", "packages/published/src/register.ts");
  const formats = listFormats().map(({ name, page }) => page ?? name);
  const commands = JSON.parse(readFileSync(join(PAGES, "commands.json"), "utf8"));
  return [
    { text: "Guides", items: items("docs/guides", GUIDES) },
    {
      text: "Formats",
      items: [{ text: "What converts to what", link: "/docs/conversions" }, ...items("docs", formats)],
    },
    {
      text: "Reference",
      items: [
        { text: "The mapping to tables", link: "/docs/mapping" },
        {
          text: "Commands",
          link: "/commands",
          collapsed: true,
          items: commands.map((name) => ({ text: name, link: `/commands/${name}` })),
        },
        { text: "API of the library", link: "/api/" },
      ],
    },
    { text: "In depth", items: [...items("docs", DEEP), { text: "Recipes", link: "/docs/recipes" }] },
    {
      text: "Behind it",
      items: [
        { text: "Benchmarks", link: "/benchmarks" },
        ...items("docs/guides", ["compare", "faq", "add-a-format"]),
        { text: "Architecture", link: "/ARCHITECTURE" },
        { text: "Decisions", link: "/docs/decisions" },
        { text: "Contributing", link: "/CONTRIBUTING" },
        ...items("docs", ["versions"]),
        { text: "Changes", link: "/CHANGELOG" },
      ],
    },
  ];
}
