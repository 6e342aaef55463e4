import { Collapsible } from '@base-ui/react/collapsible';
import type { ReactNode } from 'react';
import { ChevronRight } from './icons.tsx';

interface DisclosureProps {
  readonly summary: ReactNode;
  readonly children: ReactNode;
  readonly isOpenAtFirst?: boolean;
}

/** A summary that opens to show more. */
export function Disclosure({ summary, children, isOpenAtFirst = false }: DisclosureProps) {
  return (
    <Collapsible.Root defaultOpen={isOpenAtFirst}>
      <Collapsible.Trigger className="group flex cursor-pointer items-center gap-2 py-1.5 text-left hover:text-accent">
        <ChevronRight className="size-4 shrink-0 transition-transform group-data-panel-open:rotate-90" />
        {summary}
      </Collapsible.Trigger>
      <Collapsible.Panel className="pt-1 pl-5">{children}</Collapsible.Panel>
    </Collapsible.Root>
  );
}
