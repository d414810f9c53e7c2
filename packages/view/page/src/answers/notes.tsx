/** Short notes shown in place of a page part that has failed or is still loading. */

import { Component, type ComponentChildren } from "preact";
import { wordsOf } from "./in-words.js";

/** Shows why a part of the page is missing, with a button to retry. */
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

/** Says that something is loading. The style sheet delays it by 300 ms, so that faster answers do not flicker. */
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

/** Error boundary: isolates an error in one part of the page from the other parts. */
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
