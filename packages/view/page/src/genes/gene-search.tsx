/** Search field for genes. Typing lists matches, arrow keys move among them, Enter selects one. */

import { useId, useState } from "preact/hooks";
import { wordsOf } from "../answers/in-words.js";
import type { GeneIndex, GeneMatch } from "./gene-index.js";

interface GeneSearchProps {
  readonly label: string;
  /** Reads the genes on first use of the field. */
  readonly load: () => Promise<GeneIndex>;
  readonly onChoose: (position: number, index: GeneIndex) => void;
}

const MATCHES = 12;

export function GeneSearch({ label, load, onChoose }: GeneSearchProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [found, setFound] = useState<{ index: GeneIndex; matches: readonly GeneMatch[] } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const matches = isOpen ? (found?.matches ?? []) : [];

  const search = async (typed: string) => {
    setText(typed);
    setOpen(true);
    setAt(0);
    try {
      const index = await load();
      setFound({ index, matches: index.search(typed, MATCHES) });
      setFailure(null);
    } catch (error) {
      setFailure(wordsOf(error));
    }
  };
  const choose = (match: GeneMatch | undefined, index = found?.index) => {
    if (match === undefined || index === undefined) return;
    onChoose(match.position, index);
    setText("");
    setFound(null);
    setOpen(false);
  };
  /** Handles Enter, which fast typists press before the genes have been read. */
  const enter = async () => {
    if (matches.length > 0) {
      choose(matches[at]);
      return;
    }
    try {
      const index = await load();
      choose(index.search(text, 1)[0], index);
    } catch (error) {
      setFailure(wordsOf(error));
    }
  };
  const move = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, matches.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") void enter();
    else if (event.key === "Escape") setOpen(false);
    else return;
    event.preventDefault();
  };
  // A separate object, because Preact's types require a list of the page's own for this role.
  const combobox = {
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-label": label,
    "aria-expanded": matches.length > 0,
    "aria-controls": `${id}-list`,
    "aria-activedescendant": matches.length > 0 ? `${id}-${at}` : undefined,
  } as const;
  return (
    <div class="gene-search">
      <input
        {...combobox}
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={label}
        value={text}
        onInput={(event) => void search(event.currentTarget.value)}
        onFocus={() => void load().catch(() => undefined)}
        onBlur={() => setOpen(false)}
        onKeyDown={move}
      />
      {isOpen && text.trim() !== "" && found !== null && (
        <div role="listbox" id={`${id}-list`} aria-label={label} class="pop gene-list">
          {matches.map((match, index) => (
            <div
              key={match.position}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              // Runs before the field loses the focus, which would close the list.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(match);
              }}
            >
              <bdi>{match.label}</bdi> <bdi class="quiet-text">{match.detail}</bdi>
            </div>
          ))}
          {matches.length === 0 && <p class="quiet-text">No gene has this name.</p>}
        </div>
      )}
      {failure !== null && <p role="alert">{failure}</p>}
    </div>
  );
}
