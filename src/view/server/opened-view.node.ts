/** A server of the page with the files of this machine: opened by the library, with DuckDB in a thread, and copies by genes. */

import { open } from "../../api/open.node.js";
import type { EngineOptions } from "../../query/open-engine.node.js";
import { Companions } from "./companions.node.js";
import type { PlainOpenOptions } from "./statement-messages.js";
import type { ViewInputList } from "./view-inputs.node.js";
import { startViewServer, type ViewServer, type ViewServerOptions } from "./view-server.node.js";
import { ViewStatements } from "./view-statements.node.js";

export interface OpenedViewOptions extends ViewServerOptions {
  readonly open: PlainOpenOptions;
  readonly engine: EngineOptions;
  /** The built file of the thread of statements, where it is not beside this one. */
  readonly thread?: URL;
}

export async function startOpenedView(inputs: ViewInputList, options: OpenedViewOptions): Promise<ViewServer> {
  const { open: how, engine, thread } = options;
  const statements = new ViewStatements({ engine, open: how, ...(thread === undefined ? {} : { entry: thread }) });
  const { companion = "auto", follow: _, ...copied } = how;
  const companions = new Companions({
    pathOf: (name) => inputs.pathOf(name),
    open: copied,
    isUsed: companion !== "off",
    ...(companion === "auto" || companion === "off" ? {} : { cache: companion }),
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
        yield* statements.answer({ name, sql, format, path: await inputs.pathOf(name) }, signal);
      },
      companion: (input, action) => companions.act(input, action),
    },
    options,
  );
  const [first] = await inputs.list();
  // The page shows why it cannot be opened.
  if (first !== undefined) void server.viewer.prepare(first.name).catch(() => undefined);
  return {
    ...server,
    async close() {
      await Promise.all([server.close(), statements.close(), companions.close()]);
    },
  };
}
