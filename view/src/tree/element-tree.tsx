/** The elements of the input as a tree, with type and size; a search narrows it. */

import { useState } from "preact/hooks";
import type { TabProps } from "../shell/app.js";

export function ElementTree({ view, opened }: TabProps) {
  const [search, setSearch] = useState("");
  const tables = opened.description.tables.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  return (
    <>
      <input
        type="search"
        aria-label="Search elements"
        placeholder="Search elements"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <ul aria-label="Elements">
        {tables.map(({ name, kind, rows }) => (
          <li key={name}>
            <button
              type="button"
              aria-current={view.table.value === name}
              onClick={() => {
                view.table.value = name;
                view.tab.value = "table";
              }}
            >
              {name} <small>{kind}</small> <small>{rows?.toLocaleString("en")}</small>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
