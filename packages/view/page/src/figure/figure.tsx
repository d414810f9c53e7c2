/** A plot with buttons to save it, as wide as its container. */

import { useEffect, useRef, useState } from "preact/hooks";
import { wordsOf } from "../answers/in-words.js";
import { showDirectionsIn, visibleDirections } from "../answers/visible-names.js";
import { saveFigure } from "./export.js";

export interface FigureProps {
  /** Name of the saved file. */
  readonly name: string;
  /** Description for screen readers. */
  readonly label: string;
  /** Changing it redraws the plot. */
  readonly version: unknown;
  readonly widest?: number;
  draw(width: number): SVGSVGElement;
}

export function Figure({ name, label, version, widest = Number.POSITIVE_INFINITY, draw }: FigureProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const { current: element } = place;
    if (element === null) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const { current: element } = place;
    if (element === null || width < 40) return;
    try {
      const svg = draw(Math.min(width, widest));
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", visibleDirections(label));
      showDirectionsIn(svg);
      element.replaceChildren(svg);
      setFailure(null);
    } catch (error) {
      element.replaceChildren();
      setFailure(wordsOf(error));
    }
  }, [width, version]);
  const save = (form: "png" | "svg") => {
    const svg = place.current?.querySelector("svg");
    if (svg != null) saveFigure(svg, name, form).catch((error: unknown) => setFailure(wordsOf(error)));
  };
  return (
    <figure class="figure">
      <div class="figure-place" ref={place} />
      {failure !== null && <p role="alert">{failure}</p>}
      <div class="figure-tools">
        <button type="button" class="quiet" onClick={() => save("svg")} aria-label={`Save ${label} as SVG`}>
          SVG
        </button>
        <button type="button" class="quiet" onClick={() => save("png")} aria-label={`Save ${label} as PNG`}>
          PNG
        </button>
      </div>
    </figure>
  );
}
