/**
 * A server of the page with the files of this machine: opened by the library, with statements, saved parts and copies by
 * genes in processes of their own.
 */

import { open } from "../../api/open.node.js";
import type { EngineOptions } from "../../query/open-engine.node.js";
import { Companions } from "./companions.node.js";
import type { ViewInputList } from "./view-inputs.node.js";
import { startViewServer, type ViewServer, type ViewServerOptions } from "./view-server.node.js";
import { ViewWork } from "./work/work.node.js";
import type { PlainOpenOptions } from "./work/work-messages.js";

export interface OpenedViewOptions extends Omit<ViewServerOptions, "savePart"> {
  readonly open: PlainOpenOptions;
  readonly engine: EngineOptions;
  /** The built file of the processes, where it is not beside this one. */
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
  const server = await startViewServer(
    {
      inputs: () => inputs.list(),
      open: async (name) => open(await inputs.pathOf(name), how),
      // A server has sent bytes before it asks for the next ones.
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
  // The page shows why it cannot be opened.
  if (first !== undefined) void server.viewer.prepare(first.name).catch(() => undefined);
  return {
    ...server,
    async close() {
      await Promise.all([server.close(), work.close(), companions.close()]);
    },
  };
}
