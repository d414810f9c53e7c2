/** Opens files dropped anywhere on the page. */

import type { GivenInput } from "annarrow/view";
import { useEffect, useState } from "preact/hooks";
import { inputsOfDrop } from "./given-inputs.js";
import { addAll } from "./pick-buttons.js";

export function DropArea({ add }: { readonly add: (given: GivenInput) => Promise<void> }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    window.addEventListener(
      "dragover",
      (event) => {
        if (!hasFiles(event)) return;
        // Otherwise the browser would navigate to the file.
        event.preventDefault();
        setOver(true);
      },
      { signal },
    );
    window.addEventListener("dragleave", (event) => event.relatedTarget === null && setOver(false), { signal });
    window.addEventListener(
      "drop",
      (event) => {
        if (event.dataTransfer === null || !hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        void inputsOfDrop(event.dataTransfer.items).then((given) => addAll(given, add));
      },
      { signal },
    );
    return () => ended.abort();
  }, [add]);
  return isOver ? <div class="drop-area">Drop the file or folder to open it</div> : null;
}
