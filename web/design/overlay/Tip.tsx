import { type PointerEvent, type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react';

/** The props of the element that the tip explains. */
interface TipHandlers {
  readonly 'aria-describedby': string;
  readonly onPointerEnter: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerLeave: () => void;
  readonly onFocus: (event: SyntheticEvent<HTMLElement>) => void;
  readonly onBlur: () => void;
}

interface TipProps {
  readonly text: string;
  /** The explained element; it must be focusable. */
  readonly children: (handlers: TipHandlers) => ReactNode;
}

/** A passing pointer shows no tip, and a pointer that moves onto the tip keeps it open. */
const SHOW_MS = 300;
const HIDE_MS = 150;

/**
 * A tooltip for pointer and keyboard. Screen readers take the text from `aria-describedby`; the floating copy is hidden
 * from them.
 */
export function Tip({ text, children }: TipProps) {
  const id = useId();
  const floating = useRef<HTMLSpanElement>(null);
  const { runLater, runNow } = useTimer();
  const hide = () => {
    if (floating.current?.matches(':popover-open')) floating.current.hidePopover();
  };
  const show = (beside: HTMLElement) => {
    if (floating.current?.isConnected && beside.isConnected) placeBeside(floating.current, beside);
  };
  useEffect(() => {
    const hideOnEscape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') runNow(hide);
    };
    addEventListener('keydown', hideOnEscape);
    return () => removeEventListener('keydown', hideOnEscape);
  });
  return (
    <>
      {children({
        'aria-describedby': id,
        onPointerEnter: ({ currentTarget }) => runLater(SHOW_MS, () => show(currentTarget)),
        onPointerLeave: () => runLater(HIDE_MS, hide),
        onFocus: ({ currentTarget }) => runNow(() => show(currentTarget)),
        onBlur: () => runNow(hide),
      })}
      <span
        ref={floating}
        popover="manual"
        aria-hidden="true"
        onPointerEnter={() => runNow(() => undefined)}
        onPointerLeave={() => runLater(HIDE_MS, hide)}
        className="inset-auto m-0 max-w-72 rounded border border-line bg-raised px-2 py-1 text-sm text-ink shadow-float"
      >
        {text}
      </span>
      <span id={id} hidden>
        {text}
      </span>
    </>
  );
}

/** One timer: a new action replaces a pending one. */
function useTimer() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    runLater(ms: number, action: () => void) {
      clearTimeout(timer.current);
      timer.current = setTimeout(action, ms);
    },
    runNow(action: () => void) {
      clearTimeout(timer.current);
      action();
    },
  };
}

const GAP_PX = 6;
const EDGE_PX = 8;

/** Opens a popover below an element, or above it where there is no room, inside the window. */
function placeBeside(floating: HTMLElement, beside: HTMLElement): void {
  if (!floating.matches(':popover-open')) floating.showPopover();
  const { left, top, bottom, width } = beside.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = floating;
  const { clientWidth, clientHeight } = document.documentElement;
  const below = bottom + GAP_PX;
  const fitsBelow = below + offsetHeight + EDGE_PX <= clientHeight;
  const centred = left + (width - offsetWidth) / 2;
  const maxLeft = Math.max(EDGE_PX, clientWidth - offsetWidth - EDGE_PX);
  floating.style.position = 'fixed';
  floating.style.left = `${Math.min(Math.max(centred, EDGE_PX), maxLeft)}px`;
  floating.style.top = `${fitsBelow ? below : Math.max(EDGE_PX, top - GAP_PX - offsetHeight)}px`;
}
