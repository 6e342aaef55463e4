import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, type WheelEvent } from 'react';
import { readLine } from '../execution/stream/ansi/read-line.ts';
import { OutputText } from '../execution/stream/view/OutputText.tsx';
import type { TailRow } from './tail-log.ts';
import '../execution/stream/view/output.css';

interface TailLinesProps {
  readonly rows: readonly TailRow[];
  readonly isPaused: boolean;
  readonly onPause: () => void;
}

const ROW_PX = 20;
const UP_KEYS = ['ArrowUp', 'PageUp', 'Home'];
/** The last characters of an id differ; the first ones are the time. */
const SHORT_ID = -8;

/** The rows in sight, at the end unless paused. Going up pauses. */
export function TailLines({ rows, isPaused, onPause }: TailLinesProps) {
  const element = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => element.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const last = rows.at(-1)?.number;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new row moves the end
  useEffect(() => {
    if (!isPaused && element.current !== null) element.current.scrollTop = element.current.scrollHeight;
  }, [last, isPaused]);
  const onWheel = ({ deltaY }: WheelEvent) => !isPaused && deltaY < 0 && onPause();
  const onKeyDown = ({ key }: KeyboardEvent) => !isPaused && UP_KEYS.includes(key) && onPause();
  return (
    <section
      ref={element}
      aria-label="Output of all executions"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      className="output h-full overflow-auto"
      onWheel={onWheel}
      onKeyDown={onKeyDown}
      onTouchMove={() => !isPaused && onPause()}
    >
      <div className="relative w-max min-w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return row && <Row key={row.number} row={row} top={start} />;
        })}
      </div>
    </section>
  );
}

/** A line behind its endpoint and execution. Output is always text, never HTML. */
function Row({ row, top }: { readonly row: TailRow; readonly top: number }) {
  if (row.kind === 'dropped')
    return (
      <div className="output-line absolute left-0 w-full" data-cut="" style={{ top }}>
        <div className="output-text">
          {row.lines.toLocaleString('en')} {row.lines === 1 ? 'line was' : 'lines were'} left out here: there
          was more output than this page takes.
        </div>
      </div>
    );
  const { executionId: id, endpoint, isError, text } = row;
  return (
    <div className="output-line absolute left-0 w-max min-w-full" style={{ top }}>
      <Link
        to="/executions/$id"
        params={{ id }}
        title={`Open the execution ${id} of ${endpoint}`}
        className="flex w-36 shrink-0 gap-2 pl-3 text-accent hover:underline sm:w-64"
      >
        <span className="min-w-0 truncate">{endpoint}</span>
        <span className="ml-auto hidden text-soft sm:inline">{id.slice(SHORT_ID)}</span>
      </Link>
      <div className="output-text">
        {isError && (
          <span className="output-mark" title="Standard error">
            stderr
          </span>
        )}
        <OutputText spans={readLine(text).spans} found={[]} current={undefined} />
      </div>
    </div>
  );
}
