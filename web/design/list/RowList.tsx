import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

interface RowListProps<Item> {
  /** What the rows are, for those who hear the list: "Executions". */
  readonly label: string;
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly row: (item: Item) => ReactNode;
  /** About how high a row is, in pixels, until it is seen. */
  readonly rowHeight?: number;
  /** The end of what is there has come near. */
  readonly onEnd?: (() => void) | undefined;
}

/**
 * Rows one under the other, of which only those in sight are made: a hundred thousand scroll like ten. The page itself
 * scrolls. `j` and `k` go from row to row (`shell/keys`), to the first link or button in each.
 */
export function RowList<Item>(props: RowListProps<Item>) {
  const { label, items, idOf, row, rowHeight = 44, onEnd } = props;
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (list.current) setTop(list.current.getBoundingClientRect().top + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => idOf(items[index] as Item),
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - 10) onEnd?.();
  }, [last, items.length, onEnd]);
  return (
    <ul ref={list} aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
      {shown.map(({ key, index, start }) => (
        <li
          key={key}
          data-index={index}
          data-row=""
          ref={virtual.measureElement}
          aria-setsize={items.length}
          aria-posinset={index + 1}
          className="absolute inset-x-0 top-0 border-b border-line"
          style={{ transform: `translateY(${start - top}px)` }}
        >
          {row(items[index] as Item)}
        </li>
      ))}
    </ul>
  );
}
