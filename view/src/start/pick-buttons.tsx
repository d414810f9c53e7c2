/** Buttons by which files and folders are chosen. */

import type { GivenInput } from "annarrow/view";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { inputsOfFiles } from "./given-inputs.js";

type Add = (given: GivenInput) => Promise<void>;

/** Makes all known; the last one is shown. */
export async function addAll(given: readonly GivenInput[], add: Add): Promise<void> {
  for (const one of given) await add(one);
}

export function FileButton({ add, children }: { readonly add: Add; readonly children: ComponentChildren }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label="Files"
        onChange={(event) => void addChosen(event.currentTarget, add)}
      />
    </>
  );
}

export function FolderButton({ add, children }: { readonly add: Add; readonly children: ComponentChildren }) {
  const input = useRef<HTMLInputElement>(null);
  const choose = async () => {
    const handle = await folderHandle();
    if (handle === "unable") input.current?.click();
    else if (handle !== null) await add({ kind: "folder", handle });
  };
  return (
    <>
      <button type="button" onClick={() => void choose()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label="Folder"
        {...WHOLE_FOLDER}
        onChange={(event) => void addChosen(event.currentTarget, add)}
      />
    </>
  );
}

/** An attribute of HTML that the types of Preact lack. */
const WHOLE_FOLDER = { webkitdirectory: true };

export function OpenAnother({ add }: { readonly add: Add }) {
  return <FileButton add={add}>Open…</FileButton>;
}

async function addChosen(input: HTMLInputElement, add: Add): Promise<void> {
  const given = inputsOfFiles([...(input.files ?? [])]);
  // The same file may be chosen again.
  input.value = "";
  await addAll(given, add);
}

/** A folder by its handle; null where its reader has changed their mind, `unable` where the browser has no handles. */
async function folderHandle(): Promise<FileSystemDirectoryHandle | null | "unable"> {
  if (!("showDirectoryPicker" in window) || typeof window.showDirectoryPicker !== "function") return "unable";
  try {
    const handle: unknown = await window.showDirectoryPicker();
    return handle instanceof FileSystemDirectoryHandle ? handle : null;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}
