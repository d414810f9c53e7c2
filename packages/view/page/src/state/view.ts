/** State shared by all parts of the page: connection, opened input, tab, selection. Always passed, never global. */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { GivenInput, ViewDescription, ViewInputs } from "annarrow/view";
import { type Address, isText } from "../address/address.js";
import { wordsOf } from "../answers/in-words.js";
import { AxisColumns } from "../data/axis-columns.js";
import type { Connection } from "../data/connection.js";
import { CellSelection } from "../selection/cell-selection.js";

export const TABS = ["table", "embedding", "sql", "matrix", "quality"] as const;
export type Tab = (typeof TABS)[number];

export interface OpenedInput {
  readonly name: string;
  readonly description: ViewDescription;
  /** Columns of `obs` and `var`, each read once. */
  readonly columns: AxisColumns;
  readonly selection: CellSelection;
  /** Aborted when another input is opened. For work that continues while its tab is hidden. */
  readonly ended: AbortSignal;
}

export interface View {
  readonly connection: Connection;
  readonly address: Address;
  readonly inputs: ViewInputs;
  /** Inputs known so far. Without a server, the user may add more. */
  readonly known: ReadonlySignal<ViewInputs["inputs"]>;
  readonly input: Signal<string>;
  readonly tab: Signal<Tab>;
  /** Name of the table that the tab `table` shows. */
  readonly table: Signal<string>;
  readonly opened: ReadonlySignal<OpenedInput | null>;
  /** Error of opening the input. */
  readonly failure: ReadonlySignal<string | null>;
  /** Opens another input; the previous one is dropped. */
  open(name: string): Promise<void>;
  /** Adds an input and opens it; absent if a server determines the inputs. */
  readonly add?: (given: GivenInput) => Promise<void>;
}

/** Address keys that are specific to one input. */
const OF_INPUT = ["cells", "genes", "plot", "camera"];

/** Properties of a tab, which is created again for another input. */
export interface TabProps {
  readonly view: View;
  readonly opened: OpenedInput;
}

const isTab = (value: unknown): Tab | null => TABS.find((tab) => tab === value) ?? null;

/** Requests the inputs, and opens the one named in the address, else the first. */
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
    // A URL without an input name refers to the first input that is opened.
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
  // A link to a local file of another machine names the file that must be opened again.
  const isThere = addTo === undefined || known.value.some(({ name }) => name === input.value);
  if (input.value !== "" && isThere) void open(input.value);
  return view;
}
