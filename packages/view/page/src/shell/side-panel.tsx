/** A panel beside the tabs, resizable with a handle by pointer or arrow keys. */

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Guard } from "../answers/notes.js";

/** Minimum width in pixels. */
const NARROWEST = 160;
const WIDEST = 640;
const STEP = 16;

interface SidePanelProps {
  readonly side: "left" | "right";
  readonly label: string;
  readonly width: Signal<number>;
  readonly children: ComponentChildren;
}

export function SidePanel({ side, label, width, children }: SidePanelProps) {
  const start = useRef<{ x: number; width: number } | null>(null);
  const sign = side === "left" ? 1 : -1;
  const set = (value: number) => {
    width.value = Math.round(Math.min(Math.max(value, NARROWEST), WIDEST));
  };
  const handle = (
    <hr
      class="handle"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuenow={width.value}
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      onPointerDown={(event) => {
        start.current = { x: event.clientX, width: width.value };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (start.current !== null) set(start.current.width + sign * (event.clientX - start.current.x));
      }}
      onLostPointerCapture={() => {
        start.current = null;
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
        if (step !== undefined) set(width.value + sign * step);
      }}
    />
  );
  const Place = side === "left" ? "nav" : "aside";
  return (
    <Place class={`side ${side}`} aria-label={label} style={{ "--width": `${width.value}px` }}>
      <div class="side-content">
        <Guard>{children}</Guard>
      </div>
      {handle}
    </Place>
  );
}
