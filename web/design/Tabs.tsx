import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, Suspense } from 'react';
import { Loading } from './list/Loading.tsx';

interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly panel: ReactNode;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  /** The id of the open tab, from the address of the page, so that a link leads to it. */
  readonly open: string;
  readonly onOpen: (id: string) => void;
}

/** Tabs; only the open panel is rendered, and may load a file of its own then. */
export function Tabs({ tabs, open, onOpen }: TabsProps) {
  return (
    <Base.Root value={open} onValueChange={(id) => onOpen(String(id))}>
      <Base.List className="flex gap-4 overflow-x-auto border-b border-line">
        {tabs.map(({ id, label }) => (
          <Base.Tab
            key={id}
            value={id}
            className="min-h-9 shrink-0 cursor-pointer border-b-2 border-transparent text-soft hover:text-ink data-active:border-accent data-active:text-ink pointer-coarse:min-h-11"
          >
            {label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ id, panel }) => (
        <Base.Panel key={id} value={id} className="pt-4">
          <Suspense fallback={<Loading what="the tab" />}>{panel}</Suspense>
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
