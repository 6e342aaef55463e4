import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import type { MarkShape } from './states.ts';

/** Drawn on a grid of 16 by 16, in the colour of the surrounding text. */
const SHAPES: Readonly<Record<Exclude<MarkShape, 'bar'>, ReactNode>> = {
  diamond: <path d="M8 2.5 13.5 8 8 13.5 2.5 8Z" />,
  queue: <path d="M3.5 4.5h9M3.5 8h9M3.5 11.5h5" />,
  tick: <path d="m3 8.5 3.2 3.2L13 4.8" />,
  cross: <path d="m4 4 8 8m0-8-8 8" />,
  clock: <path d="M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3.2l2.2 1.6" />,
  broken: <path d="M6.5 4.5H5a3.5 3.5 0 0 0 0 7h1.5M9.5 4.5H11a3.5 3.5 0 0 1 0 7H9.5M9.75 1.5l-3.5 13" />,
  ring: <circle cx="8" cy="8" r="4.5" />,
  stop: <path d="M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Zm-3.900 1.600 7.800 7.800" />,
  square: <rect x="4" y="4" width="8" height="8" fill="currentColor" />,
  dot: <circle cx="8" cy="8" r="3.5" fill="currentColor" />,
  hourglass: (
    <path d="M4 2.5h8M4 13.5h8M5 2.5c0 4 6 3.5 6 5.5s-6 1.5-6 5.5m6-11c0 4-6 3.5-6 5.5s6 1.5 6 5.5" />
  ),
  pause: <path d="M5.5 3.5v9m5-9v9" />,
};

interface MarkProps {
  readonly shape: MarkShape;
  readonly className?: string | undefined;
}

/** A state mark without a word; the word stands in the surrounding text. */
export function Mark({ shape, className }: MarkProps) {
  if (shape === 'bar') return <MovingBar className={className} />;
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={classes('size-4 shrink-0 fill-none stroke-current [stroke-width:1.75]', className)}
    >
      {SHAPES[shape]}
    </svg>
  );
}

/** The mark of a running state. Besides it only the last line of output moves (`now/LastLine.tsx`). */
function MovingBar({ className }: { readonly className?: string | undefined }) {
  return (
    <span
      aria-hidden="true"
      className={classes('relative inline-block h-1 w-4 shrink-0 overflow-hidden rounded', className)}
    >
      <span className="absolute inset-0 bg-current opacity-30" />
      <span className="absolute inset-y-0 left-0 w-1/2 animate-sweep bg-current motion-reduce:w-full" />
    </span>
  );
}
