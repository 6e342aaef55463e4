import { useMemo, useState } from 'react';
import { PickOne } from '../../design/form/PickOne.tsx';
import { CopyButton } from '../../design/text/CopyButton.tsx';
import { grouped } from '../../design/text/grouped.ts';
import { exactText, isRecord, isTooDeep, MAX_DEPTH, parseExact } from './exact-json.ts';
import { JsonTree } from './JsonTree.tsx';
import { ResultTable } from './ResultTable.tsx';
import { tableOf } from './result-table.ts';

const VIEWS = [
  { value: 'table', label: 'Table' },
  { value: 'tree', label: 'Tree' },
] as const;

/** The result of a transform: a table for a list of objects, and a tree. */
export function ResultView({ event }: { readonly event: string }) {
  const isShown = useMemo(() => !isTooDeep(event), [event]);
  if (isShown) return <ShownResult event={event} />;
  return (
    <p className="flex items-center justify-between gap-2 rounded border border-line p-3 text-sm text-soft">
      The result is nested more than {MAX_DEPTH} levels deep and cannot be shown here.
      <CopyButton text={event} label="Copy raw result" isShort />
    </p>
  );
}

function ShownResult({ event }: { readonly event: string }) {
  const value = useMemo(() => {
    const parsed = parseExact(event);
    return isRecord(parsed) ? (parsed.data ?? null) : null;
  }, [event]);
  const table = useMemo(() => tableOf(value), [value]);
  const json = useMemo(() => exactText(value), [value]);
  const [view, setView] = useState<'table' | 'tree'>('table');
  const shown = table === undefined ? 'tree' : view;
  return (
    <section
      className="flex max-h-full min-h-0 flex-col overflow-hidden rounded border border-line"
      aria-label="Result of the transform"
    >
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line bg-paper px-2 py-1">
        {table === undefined ? (
          <span className="text-sm text-soft">Result</span>
        ) : (
          <PickOne label="View" options={VIEWS} value={view} onChange={setView} />
        )}
        <span className="flex items-center gap-2 text-sm text-soft">
          {table &&
            `${grouped(table.rows.length)} rows${table.left > 0 ? `, ${table.left} more columns` : ''}`}
          <CopyButton text={json} label="Copy result as JSON" isShort />
        </span>
      </div>
      <div className="flex min-h-0 flex-col">
        {shown === 'tree' || table === undefined ? <JsonTree value={value} /> : <ResultTable table={table} />}
      </div>
    </section>
  );
}
