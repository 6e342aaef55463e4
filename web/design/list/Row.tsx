import type { ReactNode } from 'react';

interface RowProps {
  readonly title: ReactNode;
  /** Short facts. */
  readonly facts?: readonly ReactNode[];
  readonly actions?: ReactNode;
}

/** A row of a list: name, facts, actions. */
export function Row({ title, facts = [], actions }: RowProps) {
  return (
    <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-6 gap-y-1 py-2">
      <div className="flex min-w-0 grow flex-wrap items-baseline gap-x-4 gap-y-0.5 sm:basis-64">
        {/* All names have the same width, so the texts after them begin at the same edge. */}
        <div className="min-w-0 font-semibold wrap-anywhere sm:min-w-44">{title}</div>
        {facts.filter(isShown).map((fact, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a row keep their order.
          <span key={index} className="min-w-0 text-sm text-soft wrap-anywhere">
            {fact}
          </span>
        ))}
      </div>
      {actions !== undefined && <div className="-mx-3 flex flex-wrap items-center gap-1">{actions}</div>}
    </div>
  );
}

function isShown(fact: ReactNode): boolean {
  return fact !== undefined && fact !== null && fact !== false;
}
