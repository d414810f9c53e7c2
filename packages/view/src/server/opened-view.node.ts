/**
 * A page server for files on this machine. The library opens the files. Statements, saved subsets and companions run in
 * separate processes.
 */

import type { Dataset, Progress } from "annarrow";
import { isAnnarrowError } from "annarrow";
import { OpenedDataset } from "annarrow/core/api";
import { type CompanionOptions, type CompanionResult, listCompanionMatrices, open } from "annarrow/node/api";
import type { EngineOptions } from "annarrow/node/query";
import type { ViewCompanion } from "../view-request.js";
import type { ViewInputList } from "./view-inputs.node.js";
import { startViewServer, type ViewServer, type ViewServerOptions } from "./view-server.node.js";
import { ViewWork } from "./work/work.node.js";
import type { SerializableOpenOptions } from "./work/work-messages.js";

export interface OpenedViewOptions extends Omit<ViewServerOptions, "savePart"> {
  readonly open: SerializableOpenOptions;
  readonly engine: EngineOptions;
  /** Built entry file of the worker processes, if it is not in the same folder as this file. */
  readonly workEntry?: URL;
}

export async function startOpenedView(inputs: ViewInputList, options: OpenedViewOptions): Promise<ViewServer> {
  const { open: how, engine, workEntry: entry } = options;
  const work = new ViewWork({ engine, open: how, entry });
  const { companion = "auto", follow: _, ...copied } = how;
  const companions = new Companions({
    pathOf: (name) => inputs.pathOf(name),
    open: copied,
    make: (path, options) => work.copy(path, options),
    isUsed: companion !== "off",
    cache: companion === "auto" || companion === "off" ? undefined : companion,
    onReady: (name) => server.viewer.renew(name),
  });
  const ending = new AbortController();
  const server = await startViewServer(
    {
      inputs: () => inputs.list(),
      open: async (name) => open(await inputs.pathOf(name), { ...how, signal: ending.signal }),
      // The server sends each batch before it requests the next one, so memory can be reused.
      reuse: true,
      version: (name) => inputs.versionOf(name),
      async *statement({ name, sql, format }, signal) {
        yield* work.answer({ name, sql, format, path: await inputs.pathOf(name) }, signal);
      },
      companion: (input, action) => companions.act(input, action),
    },
    {
      ...options,
      savePart: async (request, to, saving) =>
        work.save({ name: request.input, path: await inputs.pathOf(request.input), request, to }, saving),
    },
  );
  const [first] = await inputs.list();
  // If the file cannot be opened, the page shows the error.
  if (first !== undefined) void server.viewer.prepare(first.name).catch(() => undefined);
  return {
    ...server,
    async close() {
      // A file that is being opened may be on a server that answers late or never.
      ending.abort();
      await Promise.all([server.close(), work.close(), companions.close()]);
    },
  };
}

// Copies of a viewer's inputs by genes. They are made in the background when the page requests them.

interface CompanionsOptions {
  /** Returns the argument for `open` that opens an input. */
  readonly pathOf: (name: string) => Promise<string>;
  readonly open: Pick<CompanionOptions, "path" | "http" | "cloud" | "maxObjects">;
  /** Folder for companions; the user's cache by default. */
  readonly cache?: string;
  /** Makes a companion. Equivalent to `writeCompanion`. */
  readonly make: (path: string, options: CompanionOptions) => Promise<CompanionResult>;
  /** Whether to use existing companions. */
  readonly isUsed: boolean;
  /** Called when an input's companion is complete. */
  readonly onReady: (name: string) => void;
}

/** Memory in bytes for sorting a copy. The sort runs while the server does other work. */
const SORT_BYTES = 2 ** 25;

interface Making {
  readonly stop: AbortController;
  state: ViewCompanion;
  ended: Promise<void>;
}

class Companions {
  readonly #options: CompanionsOptions;
  readonly #making = new Map<string, Making>();

  constructor(options: CompanionsOptions) {
    this.#options = options;
  }

  async act(
    { name, dataset }: { readonly name: string; readonly dataset: Dataset },
    action: "state" | "start" | "stop",
  ): Promise<ViewCompanion> {
    const making = this.#making.get(name);
    if (action === "stop") {
      making?.stop.abort();
      await making?.ended;
      this.#making.delete(name);
    } else if (making !== undefined && (action === "state" || making.state.state === "making")) {
      return making.state;
    }
    const found = await this.#found(dataset);
    if (action !== "start" || found.state !== "absent") return found;
    return this.#start(name, await listCompanionMatrices(dataset));
  }

  /** Stops all copies, and waits until unfinished files are removed. */
  async close(): Promise<void> {
    for (const { stop } of this.#making.values()) stop.abort();
    await Promise.all([...this.#making.values()].map(({ ended }) => ended));
  }

  /** Returns the companion state of an input that is not being copied at the moment. */
  async #found(dataset: Dataset): Promise<ViewCompanion> {
    if (!this.#options.isUsed) return useless("copies by genes are turned off");
    const companion = dataset instanceof OpenedDataset ? dataset.companion : null;
    const identity = companion === null ? "it is no file of its own" : await companion.identity();
    if (companion === null || typeof identity === "string") return useless(`it can have no copy by genes: ${identity}`);
    const state = await companion.state();
    if (state !== null && state.problem === null) return { state: "ready", done: 1, message: null };
    if ((await listCompanionMatrices(dataset)).length === 0) return useless("no sparse matrix is stored by cells");
    return { state: "absent", done: 0, message: state?.problem ?? null };
  }

  #start(name: string, elements: readonly string[]): ViewCompanion {
    const stop = new AbortController();
    const making: Making = {
      stop,
      state: { state: "making", done: 0, message: null },
      ended: Promise.resolve(),
    };
    making.ended = this.#make(name, elements, making);
    this.#making.set(name, making);
    return making.state;
  }

  async #make(name: string, elements: readonly string[], making: Making): Promise<void> {
    const { pathOf, open, cache, make, onReady } = this.#options;
    try {
      const result = await make(await pathOf(name), {
        ...open,
        cache,
        sortBytes: SORT_BYTES,
        signal: making.stop.signal,
        onProgress: ({ done, total, element }: Progress) => {
          const share = total === null || total === 0 ? 0 : Math.min(1, done / total);
          const before = Math.max(0, elements.indexOf(element));
          making.state = { state: "making", done: (before + share) / elements.length, message: element };
        },
      });
      if (result.path === null) {
        making.state = useless(result.leftOut.map((left) => `${left.name}: ${left.reason}`).join("; ") || null);
        return;
      }
      onReady(name);
      // From now on, the dataset itself finds its copy.
      this.#making.delete(name);
    } catch (error) {
      if (making.stop.signal.aborted) return;
      const message = isAnnarrowError(error) ? error.problem : error instanceof Error ? error.message : String(error);
      making.state = { state: "failed", done: 0, message };
    }
  }
}

function useless(message: string | null): ViewCompanion {
  return { state: "useless", done: 0, message };
}
