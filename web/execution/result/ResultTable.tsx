import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { ArrowDown, ArrowUp } from '../../design/icons.tsx';
import { Visible } from '../../design/text/Code.tsx';
import { type ExactValue, valueText } from './exact-json.ts';
import { cellOf, isNumeric, type Sorting, sortedRows, type TableData } from './result-table.ts';

const ROW_PX = 28;
const SHOWN_CHARS = 200;

/** A list of objects as a table; a press on a column sorts by it. */
export function ResultTable({ table }: { readonly table: TableData }) {
  const [sorting, setSorting] = useState<Sorting>();
  const rows = useMemo(() => sortedRows(table, sorting), [table, sorting]);
  const numeric = useMemo(() => new Set(table.columns.filter((column) => isNumeric(table, column))), [table]);
  const element = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => element.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <section
      ref={element}
      aria-label="Result"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 overflow-auto bg-output"
    >
      <table className="min-w-full border-collapse font-mono text-sm" aria-rowcount={rows.length + 1}>
        <thead className="sticky top-0 z-10 bg-paper">
          <tr>
            {table.columns.map((column) => (
              <Heading
                key={column}
                column={column}
                sorting={sorting?.column === column ? sorting : undefined}
                isRight={numeric.has(column)}
                onSort={setSorting}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Filler height={above} />
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2} className="border-t border-line">
              {table.columns.map((column) => (
                <Cell key={column} value={cellOf(rows[index], column)} isRight={numeric.has(column)} />
              ))}
            </tr>
          ))}
          <Filler height={below} />
        </tbody>
      </table>
    </section>
  );
}

interface HeadingProps {
  readonly column: string;
  readonly sorting: Sorting | undefined;
  readonly isRight: boolean;
  readonly onSort: (sorting: Sorting | undefined) => void;
}

/** A press sorts ascending, the next one descending, the third one not. */
function Heading({ column, sorting, isRight, onSort }: HeadingProps) {
  const Arrow = sorting?.isDescending ? ArrowDown : ArrowUp;
  const next = sorting === undefined ? { column, isDescending: false } : { column, isDescending: true };
  return (
    <th
      scope="col"
      aria-sort={sorting === undefined ? 'none' : sorting.isDescending ? 'descending' : 'ascending'}
      className={`border-b border-line font-semibold ${isRight ? 'text-right' : 'text-left'}`}
    >
      <button
        type="button"
        className="inline-flex min-h-8 cursor-pointer items-center gap-1 px-3 whitespace-nowrap hover:text-accent"
        onClick={() => onSort(sorting?.isDescending ? undefined : next)}
      >
        <Visible text={column} />
        {sorting !== undefined && <Arrow className={`size-3 text-accent ${isRight ? 'order-first' : ''}`} />}
      </button>
    </th>
  );
}

function Cell({ value, isRight }: { readonly value: ExactValue | undefined; readonly isRight: boolean }) {
  const text = valueText(value);
  const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  return (
    <td
      className={`h-7 max-w-96 truncate px-3 whitespace-nowrap ${isRight ? 'text-right' : ''}`}
      title={text.slice(0, 2_000)}
    >
      <Visible text={shown} />
    </td>
  );
}

/** Fills the height of the rows that are not rendered. */
function Filler({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td style={{ height }} />
    </tr>
  );
}
