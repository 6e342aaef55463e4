import { type PointerEvent, type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react';
import { placeBeside } from './place-beside.ts';

/** What the explained element takes so that it is explained. */
interface TipHandlers {
  readonly 'aria-describedby': string;
  readonly onPointerEnter: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerLeave: () => void;
  readonly onFocus: (event: SyntheticEvent<HTMLElement>) => void;
  readonly onBlur: () => void;
}

interface TipProps {
  readonly text: string;
  /** What it explains; it can be focused. */
  readonly children: (handlers: TipHandlers) => ReactNode;
}

/** A pointer that only passes is not told anything, and one that goes over to the sentence does not lose it. */
const SHOW_MS = 300;
const HIDE_MS = 150;

/**
 * A sentence beside what it explains, for pointers and for the keyboard. Programs that read aloud have it at any time from
 * `aria-describedby`, so that what floats is for eyes alone.
 */
export function Tip({ text, children }: TipProps) {
  const id = useId();
  const floating = useRef<HTMLSpanElement>(null);
  const { later, now } = useTimer();
  const hide = () => {
    if (floating.current?.matches(':popover-open')) floating.current.hidePopover();
  };
  const show = (beside: HTMLElement) => {
    if (floating.current?.isConnected && beside.isConnected) placeBeside(floating.current, beside);
  };
  useEffect(() => {
    const leave = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') now(hide);
    };
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  });
  return (
    <>
      {children({
        'aria-describedby': id,
        onPointerEnter: ({ currentTarget }) => later(SHOW_MS, () => show(currentTarget)),
        onPointerLeave: () => later(HIDE_MS, hide),
        onFocus: ({ currentTarget }) => now(() => show(currentTarget)),
        onBlur: () => now(hide),
      })}
      <span
        ref={floating}
        popover="manual"
        aria-hidden="true"
        onPointerEnter={() => now(() => undefined)}
        onPointerLeave={() => later(HIDE_MS, hide)}
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

/** Of what is to be done only the last counts. */
function useTimer() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    later(ms: number, action: () => void) {
      clearTimeout(timer.current);
      timer.current = setTimeout(action, ms);
    },
    now(action: () => void) {
      clearTimeout(timer.current);
      action();
    },
  };
}
