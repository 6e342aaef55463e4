import type { ReactNode } from 'react';

interface EmptyProps {
  /** "No schedules yet". */
  readonly title: string;
  /** The purpose of the list and the next step; every empty list names one. */
  readonly children: ReactNode;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="rounded bg-raised px-4 py-6">
      <p className="font-semibold">{title}</p>
      <div className="mt-1 flex max-w-prose flex-col items-start gap-3 text-soft">{children}</div>
    </div>
  );
}
