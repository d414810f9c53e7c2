/** Small notes in the place of a part of the page: it failed, or it is not there yet. */

import { Component, type ComponentChildren } from "preact";
import { wordsOf } from "./in-words.js";

/** Why a part of the page is missing, and a button that tries it again. */
export function FailureNote({ message, retry }: { readonly message: string; readonly retry?: () => void }) {
  return (
    <div role="alert" class="failure-note">
      <span>{message}</span>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Says that something is on its way. The style sheet shows it only after 300 ms: what is faster must not flicker. */
export function PendingNote({ children = "Reading…" }: { readonly children?: ComponentChildren }) {
  return (
    <div role="status" class="pending-note">
      <span class="spinner" aria-hidden="true" />
      <span>{children}</span>
    </div>
  );
}

interface GuardState {
  readonly message: string | null;
}

/** Keeps an error of one part of the page from the others. */
export class Guard extends Component<{ readonly children: ComponentChildren }, GuardState> {
  override state: GuardState = { message: null };

  static override getDerivedStateFromError(error: unknown): GuardState {
    return { message: `This part of the page has failed: ${wordsOf(error)}` };
  }

  override render() {
    const { message } = this.state;
    if (message === null) return this.props.children;
    return <FailureNote message={message} retry={() => this.setState({ message: null })} />;
  }
}
