/** `annarrow view FILE…`. */

import { basename } from "node:path";
import type { Command } from "commander";
import { type CliContext, INPUT, openOptions } from "./context.js";
import { port } from "./engine-options.js";

interface Flags {
  readonly host?: string;
  readonly port?: number;
  readonly open?: boolean;
}

const EXAMPLES = `
Examples:
  annarrow view pbmc.h5ad --open
  annarrow view data/                         the files in a folder
  annarrow view s3://bucket/pbmc.zarr`;

export function addView(program: Command, context: CliContext): void {
  program
    .command("view")
    .description("show a file in a page of the browser: tables, embeddings, SQL, and parts of it to save")
    .argument("<file...>", INPUT)
    .optionsGroup("View:")
    .option("--port <port>", "of the page (default: one that is free)", port)
    .option("--host <address>", "address to listen at (default: 127.0.0.1, for this machine alone)")
    .option("--open", "open the page in the browser")
    .addHelpText("after", EXAMPLES)
    .action((files: string[], flags: Flags) => view(files, flags, context));
}

async function view(files: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const [{ startViewServer }, { ViewStatements }, { open }] = await Promise.all([
    import("../view/server/view-server.node.js"),
    import("../view/server/statements.node.js"),
    import("../api/open.node.js"),
  ]);
  const { host = "127.0.0.1", port: wanted = 0 } = flags;
  const inputs = new Map(files.map((file) => [basename(file), file]));
  const statements = new ViewStatements({});
  const server = await startViewServer(
    {
      inputs: async () => [...inputs.keys()].map((name) => ({ name, bytes: null })),
      open: (name) => open(inputs.get(name) ?? name, openOptions(context)),
      statement: (input, signal) => statements.answer(input, signal),
    },
    { host, port: wanted, page: new URL("../view/", import.meta.url) },
  );
  process.stdout.write(`${server.url}\n`);
  await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve(), { once: true }));
  await server.close();
}
