import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { classes, PANEL_LIST } from '../classes.ts';

interface RowListProps<Item> {
  /** The accessible name of the list: "executions". */
  readonly label: string;
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly row: (item: Item) => ReactNode;
  /** The estimated height of a row in pixels, until the row is measured. */
  readonly rowHeight?: number;
  /** The rows are cards of their own, which stand on the page. */
  readonly isPlain?: boolean;
  /** Called when the last rows are near the viewport. */
  readonly onEnd?: (() => void) | undefined;
}

/**
 * A virtual list: only the rows in sight are rendered, so a hundred thousand scroll like ten. The page itself scrolls.
 * `j` and `k` move the focus from row to row (`shell/keys`), to the first link or button in each.
 */
export function RowList<Item>(props: RowListProps<Item>) {
  const { label, items, idOf, row, rowHeight = 44, isPlain = false, onEnd } = props;
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
    <ul
      ref={list}
      aria-label={label}
      className={classes(!isPlain && PANEL_LIST, 'relative')}
      style={{ height: virtual.getTotalSize() }}
    >
      {shown.map(({ key, index, start }) => (
        <li
          key={key}
          data-index={index}
          data-row=""
          ref={virtual.measureElement}
          aria-setsize={items.length}
          aria-posinset={index + 1}
          className={classes('absolute inset-x-0 top-0', !isPlain && 'px-4')}
          style={{ transform: `translateY(${start - top}px)` }}
        >
          {row(items[index] as Item)}
        </li>
      ))}
    </ul>
  );
}
