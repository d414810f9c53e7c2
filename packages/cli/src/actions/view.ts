/** `annarrow view FILE…`. */

import { copyStaticPage, openInBrowser, startOpenedView, ViewInputList } from "@annarrow/view/node";
import { type CliContext, getWebOptions, openOptions } from "../context/context.js";
import { report, UsageError } from "../context/failure.js";
import { expandInputs } from "../files/file-pattern.js";
import { type EngineFlags, parseByteSize, VIEW_MEMORY } from "../options/engine-options.js";

export interface ViewFlags extends EngineFlags {
  readonly host?: string;
  readonly port?: number;
  readonly open?: boolean;
  readonly allowHost?: readonly string[];
  readonly frameOrigin?: readonly string[];
  readonly untilEof?: boolean;
  readonly static?: string;
  readonly overwrite?: boolean;
}

export async function view(files: readonly string[], flags: ViewFlags, context: CliContext): Promise<void> {
  if (flags.static !== undefined) {
    if (files.length > 0) throw new UsageError("--static takes no file: the page opens what is dropped on it");
    const missing = await copyStaticPage(new URL("../view/", import.meta.url), flags.static, flags.overwrite ?? false);
    for (const { name, purpose } of missing) {
      process.stderr.write(`${name} is not installed, so that the page lacks ${purpose}\n`);
    }
    process.stderr.write(`wrote ${flags.static}\n`);
    return;
  }
  if (files.length === 0) throw new UsageError("give a file, a folder or a URL, or --static with a folder");
  await serveView(files, flags, context);
}

async function serveView(files: readonly string[], flags: ViewFlags, context: CliContext): Promise<void> {
  const { paths } = await expandInputs(files, getWebOptions(context));
  const { signal: _, ...open } = openOptions(context);
  const { host = "127.0.0.1", port: wanted = 0, allowHost = [], frameOrigin = [], engine, memory, tempSize } = flags;
  const { maxCell } = flags;
  const running = await startOpenedView(await ViewInputList.of(paths), {
    ...{ host, allowHost, open, port: wanted, frameOrigins: frameOrigin },
    engine: {
      memory: memory ?? parseByteSize(VIEW_MEMORY),
      engine,
      tempSize,
      maxCell,
    },
    page: new URL("../view/", import.meta.url),
    onError: (error) => void report(error, process.argv.includes("--verbose")),
  });
  process.stdout.write(`${running.url}\n`);
  if (flags.open) {
    await openInBrowser(running.url).catch(() =>
      process.stderr.write("no browser could be started: open the address\n"),
    );
  }
  await new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve();
    context.signal.addEventListener("abort", () => resolve(), { once: true });
    if (flags.untilEof) process.stdin.once("end", resolve).once("error", resolve).resume();
  });
  await running.close();
}
