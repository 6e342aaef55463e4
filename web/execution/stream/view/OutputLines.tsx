import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useRef,
  type WheelEvent,
} from 'react';
import { PLAIN } from '../ansi/style.ts';
import type { LinkedLines } from '../line-link.ts';
import type { LineLog } from '../line-log.ts';
import type { LogSearch, Match } from '../log-search.ts';
import { type RecordedTimes, timeOfLine } from '../recorded-times.ts';
import { OutputLine } from './OutputLine.tsx';
import type { OutputWindow } from './use-output-window.ts';
import './output.css';

interface OutputLinesProps {
  readonly element: RefObject<HTMLElement | null>;
  readonly log: LineLog;
  readonly window: OutputWindow;
  readonly wraps: boolean;
  readonly isRaw: boolean;
  /** Undefined: lines have no time stamps. */
  readonly times: RecordedTimes | 'of arrival' | undefined;
  readonly linked: LinkedLines | undefined;
  readonly onLink: (line: number, isRange: boolean) => void;
  /** Ctrl+F: the browser would search only the lines in sight. */
  readonly onSearch: () => void;
  /** A copy of all lines while some are not loaded. */
  readonly onCopyAll: () => void;
  readonly search: LogSearch | undefined;
  readonly match: Match | undefined;
  /** The index of the line with the error that the person went to. */
  readonly errorLine: number | undefined;
}

const UP_KEYS = ['ArrowUp', 'PageUp', 'Home'];
const DOWN_KEYS = ['ArrowDown', 'PageDown', 'End', ' '];

/** The lines of a log in sight, in a box that scrolls as if all lines were rendered. */
export function OutputLines(props: OutputLinesProps) {
  const { element, log, window, wraps, isRaw, times, linked, onLink, onSearch, onCopyAll } = props;
  const { search, match, errorLine } = props;
  const { from, to, offset, total, onScroll, leaveEnd, turnBack, isFollowing } = window;
  const indexes = Array.from({ length: to - from }, (_, place) => from + place);
  // The scroll event comes too late here: new lines would pull the view down first.
  const pauseAt = ({ scrollTop }: Element) => isFollowing && scrollTop > 0 && leaveEnd();
  const onWheel = ({ deltaY, currentTarget }: WheelEvent) => {
    if (deltaY < 0) pauseAt(currentTarget);
    if (deltaY > 0) turnBack();
  };
  /** Ctrl+A was pressed: only the lines in sight are elements, and a copy takes all of them. */
  const isAllSelected = useRef(false);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (UP_KEYS.includes(event.key)) pauseAt(event.currentTarget);
    if (DOWN_KEYS.includes(event.key)) turnBack();
    // Lines that arrive on the way would end the smooth scrolling of the browser.
    if (event.key === 'Home' && !log.isWhole) {
      window.show(log.start);
      event.preventDefault();
    }
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    if (event.key === 'f') onSearch();
    else if (event.key === 'a') {
      getSelection()?.selectAllChildren(event.currentTarget);
      isAllSelected.current = true;
    } else return;
    event.preventDefault();
  };
  const onCopy = (event: ClipboardEvent) => {
    if (!isAllSelected.current) return;
    if (log.first === 0) event.clipboardData.setData('text/plain', log.plainText());
    else onCopyAll();
    event.preventDefault();
  };
  return (
    <section
      ref={element}
      aria-label="Output"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      className="output h-full overflow-auto"
      data-wrap={wraps || undefined}
      style={{ '--digits': String(log.printed).length } as React.CSSProperties}
      onScroll={onScroll}
      onWheel={onWheel}
      onKeyDown={onKeyDown}
      onCopy={onCopy}
      onPointerDown={() => {
        isAllSelected.current = false;
        turnBack();
      }}
      onTouchMove={(event) => pauseAt(event.currentTarget)}
      onClick={(event) => followLink(event, onLink)}
    >
      <div className="invisible absolute size-0 overflow-hidden" aria-hidden>
        <span className="output-probe">{'0'.repeat(50)}</span>
      </div>
      <div className={wraps ? 'relative' : 'relative w-max min-w-full'} style={{ height: total }}>
        <div className={wraps ? '' : 'w-max min-w-full'} style={{ transform: `translateY(${offset}px)` }}>
          {indexes.map((index) => {
            const cutLines = log.cutAt(index);
            const line = log.at(index) ?? (cutLines === undefined ? undefined : NOT_LOADED);
            if (line === undefined) return <MissingLine key={index} number={log.numberOf(index)} />;
            const time = times && timeOfLine(line, times);
            return (
              <OutputLine
                key={index}
                number={log.numberOf(index)}
                cutLines={cutLines}
                text={line.text}
                style={line.style}
                isError={line.isError}
                isRaw={isRaw}
                hasTime={times !== undefined}
                time={time?.text}
                timeTitle={time?.title}
                isLinked={isLinked(log.numberOf(index), linked)}
                isCurrentError={errorLine === index}
                search={search}
                current={match?.line === index ? match.nth : undefined}
              />
            );
          })}
        </div>
      </div>
    </section>
  );
}

const NOT_LOADED = { text: '', style: PLAIN, isError: false, event: undefined, arrivedMs: undefined };

/** The place of a line that is not loaded yet. */
function MissingLine({ number }: { readonly number: number }) {
  return (
    <div className="output-line" data-line={number} data-missing="" aria-hidden>
      <span className="output-number">{number}</span>
    </div>
  );
}

function isLinked(number: number, linked: LinkedLines | undefined): boolean {
  return linked !== undefined && number >= linked.from && number <= linked.to;
}

/** A click on a number links to its line, with Shift to the range from the linked line. */
function followLink(event: MouseEvent, onLink: OutputLinesProps['onLink']): void {
  const number = (event.target as Element).closest<HTMLElement>('[data-number]');
  if (number === null || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  onLink(Number(number.dataset.number), event.shiftKey);
}
