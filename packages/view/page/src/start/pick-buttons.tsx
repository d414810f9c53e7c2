/** Buttons for selecting files and folders. */

import type { GivenInput } from "annarrow/view";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { inputsOfFiles } from "./given-inputs.js";

type Add = (given: GivenInput) => Promise<void>;

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

/** HTML attribute that is missing in the types of Preact. */
const WHOLE_FOLDER = { webkitdirectory: true };

export function OpenAnother({ add }: { readonly add: Add }) {
  return <FileButton add={add}>Open…</FileButton>;
}

async function addChosen(input: HTMLInputElement, add: Add): Promise<void> {
  const given = inputsOfFiles([...(input.files ?? [])]);
  // Allows selecting the same file again.
  input.value = "";
  await addAll(given, add);
}

/** Opens a folder by handle; null if the user cancelled, `unable` if the browser does not support handles. */
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
