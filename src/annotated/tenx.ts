/** Files of 10x Genomics and the annotated view: tables of fragments, which every format has under that name. */

import { InvalidInputError } from "../errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import type { AnnotatedFormat } from "./annotated.js";
import { lose, shown } from "./losses.js";

const FRAGMENTS = /^(.*\/)?fragments$/;

export const tenx: AnnotatedFormat = {
  title: "a file of fragments",
  rules: [{ annotated: "fragments", own: "fragments" }],
  isOwnName: () => false,
  namesOf: () => [],
  toAnnotated: (given) => ({ ...given, matrix: "X" }),
  async fromAnnotated(view, { losses }) {
    const all = [...view.tables.keys()].filter((name) => FRAGMENTS.test(name));
    if (all.length !== 1) {
      if (all.length === 0) throw new InvalidInputError("no table of fragments");
      throw new InvalidInputError(`${all.length} tables of fragments: choose one (--table); ${shown(all)}`);
    }
    const tables = new Map<string, ColumnTable>();
    for (const [name, table] of view.tables) {
      if (name === all[0]) tables.set("fragments", table);
      else if (!table.derived) lose(losses, name);
    }
    return { tables, shape: null };
  },
};
