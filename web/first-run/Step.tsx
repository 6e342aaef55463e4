import type { ReactNode } from 'react';
import { classes } from '../design/classes.ts';
import { Mark } from '../design/state/Mark.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  /** The step is the next one to do. */
  readonly isCurrent: boolean;
  readonly children: ReactNode;
}

/** A step of the onboarding, with its number or a tick. */
export function Step({ number, title, isDone, isCurrent, children }: StepProps) {
  return (
    <li
      aria-current={isCurrent ? 'step' : undefined}
      className="group grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3"
    >
      <div className="flex flex-col items-center">
        <span
          className={classes(
            'flex size-7 items-center justify-center rounded-full border font-semibold',
            isDone && 'border-good text-good',
            isCurrent && 'border-accent bg-accent text-on-accent',
            !isDone && !isCurrent && 'border-line text-soft',
          )}
        >
          {isDone ? <Mark shape="tick" /> : number}
        </span>
        <span className="w-px grow bg-line group-last:hidden" />
      </div>
      <section className="flex min-w-0 flex-col gap-2 pb-6">
        <h2 className="pt-0.5 text-lg font-semibold">
          {title}
          <span role="status" className="sr-only">
            {isDone && ', done'}
          </span>
        </h2>
        {children}
      </section>
    </li>
  );
}
