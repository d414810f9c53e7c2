/** Inputs from the user: files and folders, dropped or selected. */

import type { GivenInput } from "annarrow/view";

/** Addresses that a page can open: of web servers and object stores. */
export const ADDRESS = /^(https?|s3|gs|az|hf):\/\/[^/]/i;

/** Converts selected files to inputs. All files of a selected folder form one input. */
export function inputsOfFiles(files: readonly File[]): readonly GivenInput[] {
  const [first] = files;
  const folder = first?.webkitRelativePath.split("/")[0] ?? "";
  if (folder === "") return files.map((file) => ({ kind: "file", file }));
  const below = files.map((file) => [file.webkitRelativePath.slice(folder.length + 1), file] as const);
  return [{ kind: "files", name: folder, files: new Map(below) }];
}

/** Reads dropped files and folders. The browser forgets them after the event, so all are requested at once. */
export async function inputsOfDrop(items: DataTransferItemList): Promise<readonly GivenInput[]> {
  const given = [...items].filter(({ kind }) => kind === "file").map((item) => inputOfItem(item));
  return (await Promise.all(given)).filter((one) => one !== null);
}

async function inputOfItem(item: DataTransferItem): Promise<GivenInput | null> {
  const file = item.getAsFile();
  const entry = item.webkitGetAsEntry();
  if (entry === null || entry.isFile) return file === null ? null : { kind: "file", file };
  const handle = await handleOf(item);
  if (handle !== null) return { kind: "folder", handle };
  return { kind: "files", name: entry.name, files: await filesBelow(entry, "") };
}

/** Returns the handle of a dropped folder, if the browser supports handles. Its files are then read on demand. */
async function handleOf(item: DataTransferItem): Promise<FileSystemDirectoryHandle | null> {
  if (!("getAsFileSystemHandle" in item) || typeof item.getAsFileSystemHandle !== "function") return null;
  const handle: unknown = await item.getAsFileSystemHandle();
  return handle instanceof FileSystemDirectoryHandle ? handle : null;
}

/** Returns all files below a folder, keyed by path. */
async function filesBelow(folder: FileSystemEntry, path: string): Promise<Map<string, File>> {
  const found = new Map<string, File>();
  for (const entry of await childrenOf(folder)) {
    const at = path === "" ? entry.name : `${path}/${entry.name}`;
    if (isFile(entry)) found.set(at, await new Promise<File>((resolve, reject) => entry.file(resolve, reject)));
    else for (const [key, file] of await filesBelow(entry, at)) found.set(key, file);
  }
  return found;
}

async function childrenOf(folder: FileSystemEntry): Promise<readonly FileSystemEntry[]> {
  if (!isFolder(folder)) return [];
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  // A reader returns up to a hundred entries per call, and an empty list at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return children;
    children.push(...some);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
