/** The three parts of the page: the tree of elements, the tabs, the selection. */

import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useMemo } from "preact/hooks";
import { FailureNote, Guard, PendingNote } from "../answers/notes.js";
import { useAnswer } from "../answers/use-answer.js";
import { SelectionPanel } from "../selection/panel/selection-panel.js";
import { DropArea } from "../start/drop-area.js";
import { StartScreen } from "../start/start-screen.js";
import type { Tab, TabProps, View } from "../state/view.js";
import { ElementTree } from "../tree/element-tree.js";
import { Head } from "./head.js";
import { SidePanel } from "./side-panel.js";
import { TabList } from "./tab-list.js";

/** Tab components, loaded on first use. */
const LOADERS: Readonly<Record<Tab, () => Promise<FunctionComponent<TabProps>>>> = {
  table: async () => (await import("../table/table-tab.js")).TableTab,
  embedding: async () => (await import("../embedding/embedding-tab.js")).EmbeddingTab,
  sql: async () => (await import("../sql/sql-tab.js")).SqlTab,
  matrix: async () => (await import("../matrix/matrix-tab.js")).MatrixTab,
  quality: async () => (await import("../quality/quality-tab.js")).QualityTab,
};

/** Minimum window width in pixels for showing the selection initially. */
const ROOMY = 1000;

export function App({ view }: { readonly view: View }) {
  const panels = useMemo(
    () => ({
      shown: { left: signal(true), right: signal(window.innerWidth >= ROOMY) },
      left: signal(window.innerWidth >= 2000 ? 320 : 250),
      right: signal(window.innerWidth >= 2000 ? 340 : 270),
    }),
    [],
  );
  const opened = view.opened.value;
  const failure = view.failure.value;
  // Nothing is opened yet if the user must still provide the file.
  const isAwaited = opened === null && !view.known.value.some(({ name }) => name === view.input.value);
  return (
    <div class="page">
      {view.add !== undefined && <DropArea add={view.add} />}
      <Head view={view} shown={panels.shown} />
      <div class="body">
        {panels.shown.left.value && (
          <SidePanel side="left" label="Elements" width={panels.left}>
            {opened !== null && <ElementTree view={view} opened={opened} key={opened.name} />}
          </SidePanel>
        )}
        <main class="middle">
          <TabList view={view} />
          {failure !== null && <FailureNote message={failure} retry={() => void view.open(view.input.value)} />}
          {opened === null && failure === null && !isAwaited && <PendingNote>Opening {view.input.value}…</PendingNote>}
          {view.add !== undefined && (isAwaited || failure !== null) && <StartScreen view={view} add={view.add} />}
          {opened !== null && <TabPanel view={view} opened={opened} key={opened.name} />}
        </main>
        {panels.shown.right.value && (
          <SidePanel side="right" label="Selection" width={panels.right}>
            {opened !== null && <SelectionPanel view={view} opened={opened} key={opened.name} />}
          </SidePanel>
        )}
      </div>
    </div>
  );
}

function TabPanel({ view, opened }: TabProps) {
  const tab = view.tab.value;
  // Wrapped in an object, because a component is a function, which a state setter would call.
  const loaded = useAnswer(tab, async () => ({ Tab: await LOADERS[tab]() }));
  return (
    <section id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} class="panel">
      <Guard key={tab}>
        {loaded.state === "ready" && <loaded.value.Tab view={view} opened={opened} />}
        {loaded.state === "failed" && <FailureNote message={loaded.message} retry={loaded.retry} />}
      </Guard>
    </section>
  );
}
