import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';
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
  const row = useRef<HTMLDivElement>(null);
  const cut = useCutSides(row);
  return (
    <Base.Root value={open} onValueChange={(id) => onOpen(String(id))}>
      <Base.List
        ref={row}
        data-cut={cut}
        className={classes(
          'flex gap-4 overflow-x-auto border-b border-line',
          cut !== undefined && FADES[cut],
        )}
      >
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

/** Where a row of tabs is cut it fades, as a sign that it scrolls. */
const FADES = {
  left: 'mask-l-from-[calc(100%-3rem)]',
  right: 'mask-r-from-[calc(100%-3rem)]',
  both: 'mask-x-from-[calc(100%-3rem)]',
} as const;

/** The sides at which a row that scrolls is cut. The tabs themselves bring the open one into sight. */
function useCutSides(row: RefObject<HTMLElement | null>): keyof typeof FADES | undefined {
  const [cut, setCut] = useState<keyof typeof FADES>();
  useEffect(() => {
    const element = row.current;
    if (element === null) return;
    const measure = () => {
      const { scrollLeft, clientWidth, scrollWidth } = element;
      const isLeft = scrollLeft > 1;
      const isRight = scrollLeft + clientWidth < scrollWidth - 1;
      setCut(isLeft && isRight ? 'both' : isLeft ? 'left' : isRight ? 'right' : undefined);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [row]);
  return cut;
}
