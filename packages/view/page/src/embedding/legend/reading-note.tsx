/** Progress bar of a read, shown only if it takes longer than 300 ms. */

import { useEffect, useState } from "preact/hooks";
import type { Progress } from "../plot/embedding-plot.js";

const WAIT = 300;

export function ReadingNote({ progress }: { readonly progress: Progress | null }) {
  const [isLate, setLate] = useState(false);
  const isReading = progress !== null;
  useEffect(() => {
    if (!isReading) return;
    const timer = setTimeout(() => setLate(true), WAIT);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isReading]);
  if (progress === null || !isLate) return null;
  return (
    <div class="reading" role="status">
      <bdi>{progress.what}</bdi>
      <progress max={1} {...(progress.share === null ? {} : { value: progress.share })} aria-label={progress.what} />
    </div>
  );
}
