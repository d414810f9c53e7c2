/** Page header: the file, its type, its problems, and the visible panels. */

import type { Signal } from "@preact/signals";
import type { ViewDescription } from "annarrow/view";
import { sizeInWords } from "../answers/in-words.js";
import { OpenAnother } from "../start/pick-buttons.js";
import type { OpenedInput, View } from "../state/view.js";

export interface PanelsShown {
  readonly left: Signal<boolean>;
  readonly right: Signal<boolean>;
}

export function Head({ view, shown }: { readonly view: View; readonly shown: PanelsShown }) {
  const opened = view.opened.value;
  return (
    <header class="head">
      <PanelButton label="Elements" side="left" shown={shown.left} />
      <h1>annarrow</h1>
      <InputChoice view={view} />
      {view.add !== undefined && view.opened.value !== null && <OpenAnother add={view.add} />}
      {opened !== null && <Facts view={view} opened={opened} />}
      {opened !== null && <Notes description={opened.description} />}
      <span class="spring" />
      <PanelButton label="Selection" side="right" shown={shown.right} />
    </header>
  );
}

function PanelButton(props: {
  readonly label: string;
  readonly side: "left" | "right";
  readonly shown: Signal<boolean>;
}) {
  const { label, side, shown } = props;
  return (
    <button
      type="button"
      class="quiet panel-button"
      aria-pressed={shown.value}
      title={`${shown.value ? "Hide" : "Show"} the panel ${label}`}
      aria-label={label}
      onClick={() => {
        shown.value = !shown.value;
      }}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <rect x="1.5" y="2.5" width="13" height="11" rx="2" fill="none" stroke="currentColor" />
        <rect
          x={side === "left" ? 2 : 10}
          y="3"
          width="4"
          height="10"
          fill="currentColor"
          opacity={shown.value ? 0.7 : 0.2}
        />
      </svg>
    </button>
  );
}

function InputChoice({ view }: { readonly view: View }) {
  const inputs = view.known.value;
  if (inputs.length === 0) return null;
  if (inputs.length === 1) return <strong class="input-name">{view.input.value}</strong>;
  return (
    <select
      class="input-name"
      aria-label="File"
      value={view.input.value}
      onChange={(event) => void view.open(event.currentTarget.value)}
    >
      {inputs.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

const CONTAINERS: Readonly<Record<string, string>> = {
  hdf5: "HDF5",
  zarr2: "Zarr 2",
  zarr3: "Zarr 3",
  rds: "RDS",
  directory: "folder",
  parquet: "Parquet",
  arrow: "Arrow",
  tsv: "TSV",
};

function Facts({ view, opened }: { readonly view: View; readonly opened: OpenedInput }) {
  const { content, container, shape } = opened.description;
  const bytes = view.known.value.find(({ name }) => name === opened.name)?.bytes ?? null;
  const facts = [
    content,
    CONTAINERS[container] ?? container,
    shape === null ? "" : `${shape[0].toLocaleString("en")} cells × ${shape[1].toLocaleString("en")} genes`,
    bytes === null ? "" : sizeInWords(bytes),
  ];
  return <span class="facts">{facts.filter(Boolean).join(" · ")}</span>;
}

function Notes({ description: { warnings, failures } }: { readonly description: ViewDescription }) {
  if (warnings.length + failures.length === 0) return null;
  const counts = [counted(failures.length, "failure"), counted(warnings.length, "warning")].filter(Boolean).join(", ");
  return (
    <details class="notes">
      <summary>{counts}</summary>
      <ul>
        {failures.map(({ name, message }) => (
          <li key={`failure ${name}`}>
            <strong>{name}</strong> cannot be read: {message}
          </li>
        ))}
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </details>
  );
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
