/** Start screen of a page without server, which explains how to open something. */

import type { GivenInput } from "annarrow/view";
import { useState } from "preact/hooks";
import type { View } from "../state/view.js";
import { ADDRESS } from "./given-inputs.js";
import { FileButton, FolderButton } from "./pick-buttons.js";

interface StartProps {
  readonly view: View;
  readonly add: (given: GivenInput) => Promise<void>;
}

export function StartScreen({ view, add }: StartProps) {
  const missing = view.failure.value === null ? view.input.value : "";
  return (
    <div class="start">
      <h2>Open a file</h2>
      {missing !== "" && (
        <p>
          The link shows <strong>{missing}</strong>, a file of your machine: open it again to go on.
        </p>
      )}
      <p>Drop a file or a folder anywhere on the page, or choose one. It stays on your machine.</p>
      <p class="start-buttons">
        <FileButton add={add}>Choose a file…</FileButton>
        <FolderButton add={add}>Choose a folder…</FolderButton>
      </p>
      <AddressForm add={add} />
      <p class="start-formats">
        AnnData (.h5ad, .zarr, .zarr.zip), MuData (.h5mu), Cell Ranger (.h5), Loom, BPCells (.h5, .rds, folders), MATLAB
        v7.3 (.mat), R (.rds, .RData), fragments (.tsv.gz), Parquet and Arrow
      </p>
    </div>
  );
}

function AddressForm({ add }: Pick<StartProps, "add">) {
  const [address, setAddress] = useState("");
  const [note, setNote] = useState("");
  return (
    <form
      class="start-address"
      onSubmit={(event) => {
        event.preventDefault();
        const text = address.trim();
        if (ADDRESS.test(text)) void add({ kind: "address", address: text });
        else setNote("An address begins with https://, s3://, gs:// or hf://.");
      }}
    >
      <label>
        <span>Or the address of a file or a Zarr store, whose server lets pages read it:</span>
        <input
          type="text"
          inputMode="url"
          spellcheck={false}
          placeholder="https://example.org/pbmc.h5ad"
          value={address}
          onInput={(event) => {
            setAddress(event.currentTarget.value);
            setNote("");
          }}
        />
      </label>
      <button type="submit">Open</button>
      {note !== "" && <p role="alert">{note}</p>}
    </form>
  );
}
