/** What all parts of the page share: the connection, the opened input, the tab, the selection. It is passed, never global. */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { GivenInput, ViewDescription, ViewInputs } from "annarrow/view";
import { type Address, isText } from "../address/address.js";
import { wordsOf } from "../answers/in-words.js";
import { AxisColumns } from "../data/axis-columns.js";
import type { Connection } from "../data/connection.js";
import { CellSelection } from "../selection/cell-selection.js";

export const TABS = ["table", "embedding", "sql", "matrix", "quality"] as const;
export type Tab = (typeof TABS)[number];

/** An input that is opened: its description, and what is known of its cells. */
export interface OpenedInput {
  readonly name: string;
  readonly description: ViewDescription;
  /** Columns of `obs` and `var`, read once. */
  readonly columns: AxisColumns;
  readonly selection: CellSelection;
  /** Aborted when another input is opened, for what goes on while its tab is not shown. */
  readonly ended: AbortSignal;
}

export interface View {
  readonly connection: Connection;
  readonly address: Address;
  readonly inputs: ViewInputs;
  /** The inputs that are known by now: the page's reader may add some where there is no server. */
  readonly known: ReadonlySignal<ViewInputs["inputs"]>;
  /** Name of the input that is shown. */
  readonly input: Signal<string>;
  readonly tab: Signal<Tab>;
  /** Name of the table that the tab `table` shows. */
  readonly table: Signal<string>;
  readonly opened: ReadonlySignal<OpenedInput | null>;
  /** Why the input cannot be opened. */
  readonly failure: ReadonlySignal<string | null>;
  /** Opens the input of another name; the one before is forgotten. */
  open(name: string): Promise<void>;
  /** Makes an input known, and opens it; absent where a server decides what is shown. */
  readonly add?: (given: GivenInput) => Promise<void>;
}

/** Keys of the address that mean something in one input alone. */
const OF_INPUT = ["cells", "genes", "plot", "camera"];

/** What a tab gets: it is made anew for another input. */
export interface TabProps {
  readonly view: View;
  readonly opened: OpenedInput;
}

const isTab = (value: unknown): Tab | null => TABS.find((tab) => tab === value) ?? null;

/** Asks what there is, and opens the input that the address names, else the first. */
export async function startView(connection: Connection, address: Address): Promise<View> {
  const inputs = await connection.json<ViewInputs>({ call: "inputs" });
  const input = address.signal("input", inputs.inputs[0]?.name ?? "", isText);
  const opened = signal<OpenedInput | null>(null);
  const failure = signal<string | null>(null);
  let opening = new AbortController();
  const open = async (name: string): Promise<void> => {
    opening.abort();
    opening = new AbortController();
    const { signal: asked } = opening;
    // An address without a name, as that of a link to no file, means the first one that is opened.
    if (input.value !== "" && input.value !== name) address.forget(OF_INPUT);
    input.value = name;
    opened.value = null;
    failure.value = null;
    try {
      const description = await connection.json<ViewDescription>({ call: "describe", input: name }, { signal: asked });
      const columns = new AxisColumns(connection, description, name);
      const selection = new CellSelection(connection, address, { name, description, columns });
      if (!asked.aborted) opened.value = { name, description, columns, selection, ended: asked };
    } catch (error) {
      if (!asked.aborted) failure.value = wordsOf(error);
    }
  };
  const known = signal(inputs.inputs);
  const addTo = connection.add;
  const add = async (given: GivenInput): Promise<void> => {
    const name = (await addTo?.(given)) ?? "";
    known.value = (await connection.json<ViewInputs>({ call: "inputs" })).inputs;
    await open(name);
  };
  const view: View = {
    ...{ connection, address, inputs, known, input, opened, failure, open },
    add: addTo === undefined ? undefined : add,
    tab: address.signal<Tab>("tab", "table", isTab),
    table: address.signal("table", "obs", isText),
  };
  // A link to a file of somebody's machine names what has to be given again.
  const isThere = addTo === undefined || known.value.some(({ name }) => name === input.value);
  if (input.value !== "" && isThere) void open(input.value);
  return view;
}
