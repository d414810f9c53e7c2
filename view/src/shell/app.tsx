/** The three parts of the page: the tree of elements, the tabs, the selection. */

import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SelectionPanel } from "../selection/selection-panel.js";
import { type OpenedInput, TABS, type Tab, type View } from "../state/view.js";
import { ElementTree } from "../tree/element-tree.js";

/** What a tab gets: it is made anew for another input. */
export interface TabProps {
  readonly view: View;
  readonly opened: OpenedInput;
}

/** The tabs, loaded when they are first shown. */
const LOADERS: Readonly<Record<Tab, () => Promise<FunctionComponent<TabProps>>>> = {
  table: async () => (await import("../table/table-tab.js")).TableTab,
  embedding: async () => (await import("../embedding/embedding-tab.js")).EmbeddingTab,
  sql: async () => (await import("../sql/sql-tab.js")).SqlTab,
  matrix: async () => (await import("../matrix/matrix-tab.js")).MatrixTab,
  quality: async () => (await import("../quality/quality-tab.js")).QualityTab,
};

const LABELS: Readonly<Record<Tab, string>> = {
  table: "Table",
  embedding: "Embedding",
  sql: "SQL",
  matrix: "Matrix",
  quality: "Quality",
};

export function App({ view }: { readonly view: View }) {
  const opened = view.opened.value;
  return (
    <div class="page">
      <header class="head">
        <h1>annarrow</h1>
        <InputChoice view={view} />
        {opened !== null && <Facts opened={opened} />}
      </header>
      <nav class="left" aria-label="Elements">
        {opened !== null && <ElementTree view={view} opened={opened} />}
      </nav>
      <main class="middle">
        <TabList view={view} />
        {view.failure.value !== null && <p role="alert">{view.failure.value}</p>}
        {opened !== null && <TabPanel view={view} opened={opened} key={opened.name} />}
      </main>
      <aside class="right" aria-label="Selection">
        {opened !== null && <SelectionPanel view={view} opened={opened} />}
      </aside>
    </div>
  );
}

function InputChoice({ view }: { readonly view: View }) {
  const { inputs } = view.inputs;
  if (inputs.length === 1) return <strong class="input-name">{view.input.value}</strong>;
  return (
    <select aria-label="File" value={view.input.value} onChange={(event) => void view.open(event.currentTarget.value)}>
      {inputs.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function Facts({ opened }: { readonly opened: OpenedInput }) {
  const { format, version, container, shape } = opened.description;
  const size = shape === null ? "" : `${shape[0].toLocaleString("en")} × ${shape[1].toLocaleString("en")}`;
  return <span class="facts">{[format, version, container, size].filter(Boolean).join(" · ")}</span>;
}

function TabList({ view }: { readonly view: View }) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const next = TABS.at((TABS.indexOf(view.tab.value) + step) % TABS.length) ?? "table";
    view.tab.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" class="tabs" onKeyDown={move}>
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

function TabPanel({ view, opened }: TabProps) {
  const tab = view.tab.value;
  const [loaded, setLoaded] = useState<{ tab: Tab; component: FunctionComponent<TabProps> } | null>(null);
  useEffect(() => {
    let isWanted = true;
    LOADERS[tab]().then((component) => isWanted && setLoaded({ tab, component }));
    return () => {
      isWanted = false;
    };
  }, [tab]);
  const Component = loaded?.tab === tab ? loaded.component : null;
  return (
    <section id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} class="panel">
      {Component !== null && <Component view={view} opened={opened} />}
    </section>
  );
}
