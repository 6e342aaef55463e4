import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, type WheelEvent } from 'react';
import { grouped } from '../design/text/grouped.ts';
import { useMedia } from '../design/use-media.ts';
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
  // On a phone a line wraps behind the name of its endpoint, so a row may have several lines.
  const wraps = useMedia('(max-width: 639px)');
  const height = virtual.getTotalSize();
  const last = rows.at(-1)?.number;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new row, and each measured one, moves the end
  useEffect(() => {
    if (!isPaused && element.current !== null) element.current.scrollTop = element.current.scrollHeight;
  }, [last, height, isPaused]);
  const onWheel = ({ deltaY }: WheelEvent) => !isPaused && deltaY < 0 && onPause();
  const onKeyDown = ({ key }: KeyboardEvent) => !isPaused && UP_KEYS.includes(key) && onPause();
  return (
    <section
      ref={element}
      aria-label="Output of all executions"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      className="output h-full overflow-auto"
      data-wrap={wraps || undefined}
      onWheel={onWheel}
      onKeyDown={onKeyDown}
      onTouchMove={() => !isPaused && onPause()}
    >
      <div className={wraps ? 'relative' : 'relative w-max min-w-full'} style={{ height }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return (
            row && (
              <div
                key={row.number}
                data-index={index}
                ref={wraps ? virtual.measureElement : undefined}
                className="absolute left-0 w-max min-w-full max-sm:w-full"
                style={{ top: start }}
              >
                <Row row={row} />
              </div>
            )
          );
        })}
      </div>
    </section>
  );
}

/** A line behind its endpoint and execution. Output is always text, never HTML. */
function Row({ row }: { readonly row: TailRow }) {
  if (row.kind === 'dropped')
    return (
      <div className="output-line" data-cut="">
        <div className="output-text">
          {grouped(row.lines)} {row.lines === 1 ? 'line was' : 'lines were'} left out here: there was more
          output than this page takes.
        </div>
      </div>
    );
  const { executionId: id, endpoint, isError, text } = row;
  return (
    <div className="output-line" data-named="">
      <Link
        to="/executions/$id"
        params={{ id }}
        title={`Open the execution ${id} of ${endpoint}`}
        className="pl-3 text-accent hover:underline sm:flex sm:w-64 sm:shrink-0 sm:gap-2"
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
