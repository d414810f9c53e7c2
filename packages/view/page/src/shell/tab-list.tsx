/** The names of the tabs. The arrow keys, Home and End move between them. */

import { TABS, type Tab, type View } from "../state/view.js";

const LABELS: Readonly<Record<Tab, string>> = {
  table: "Table",
  embedding: "Embedding",
  sql: "SQL",
  matrix: "Matrix",
  quality: "Quality",
};

export function TabList({ view }: { readonly view: View }) {
  const current = TABS.indexOf(view.tab.value);
  const move = (event: KeyboardEvent) => {
    const target = {
      ArrowLeft: current - 1,
      ArrowRight: current + 1,
      Home: 0,
      End: TABS.length - 1,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const next = TABS.at(target % TABS.length) ?? "table";
    view.tab.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Views" class="tabs" onKeyDown={move}>
      {TABS.map((tab) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={view.tab.value === tab}
          aria-controls="panel"
          tabIndex={view.tab.value === tab ? 0 : -1}
          onClick={() => {
            view.tab.value = tab;
          }}
        >
          {LABELS[tab]}
        </button>
      ))}
    </div>
  );
}
