import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { classes } from '../../../design/classes.ts';
import { showDone, showProblem } from '../../../design/overlay/toasts.ts';
import { copyText } from '../../../design/text/CopyButton.tsx';
import { grouped } from '../../../design/text/grouped.ts';
import { useKeptChoice } from '../../../design/use-kept-choice.ts';
import { ERROR_WORDS } from '../error-lines.ts';
import type { ExecutionStream } from '../execution-stream.ts';
import { type LinkedLines, lineLink } from '../line-link.ts';
import type { LineLog } from '../line-log.ts';
import { LogSearch } from '../log-search.ts';
import { outputMarkdown } from '../output-markdown.ts';
import type { RecordedTimes } from '../recorded-times.ts';
import { OutputLines } from './OutputLines.tsx';
import { OutputToolbar } from './OutputToolbar.tsx';
import { StreamNotice } from './StreamNotice.tsx';
import { useOutputWindow } from './use-output-window.ts';

interface OutputViewProps {
  readonly stream: ExecutionStream;
  readonly slug: string;
  /** The page of the execution, for copies that link to it. */
  readonly url: string;
  /** Saves all of the output as a file. */
  readonly onDownload: () => void;
  readonly isDownloading: boolean;
  readonly times: ShownTimes;
  /** The box of a short output is only as high as its lines. */
  readonly isFitted: boolean;
  readonly linked?: LinkedLines | undefined;
  /** Puts a link to lines into the address of the page; undefined where the page shows more than this output. */
  readonly onLink?: ((lines: LinkedLines) => void) | undefined;
}

/** The time stamps of the lines. */
export interface ShownTimes {
  readonly areOn: boolean;
  readonly onSwitch: (areOn: boolean) => void;
  /** Undefined while the execution runs, and when no times were recorded. */
  readonly record: RecordedTimes | undefined;
  /** Whether the record was read and has no times. */
  readonly areMissing: boolean;
}

/** The output of an execution, while it grows and after its end. */
export function OutputView(props: OutputViewProps) {
  const { stream, linked, onLink, onDownload, isDownloading, times, isFitted } = props;
  const { log, revision } = stream;
  const element = useRef<HTMLElement>(null);
  const toolbar = useRef<HTMLElement>(null);
  const [wraps, setWraps] = useKeptChoice('svc.output.wrap', window.innerWidth < 640);
  const [isRaw, setRaw] = useState(false);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const search = useLogSearch(log, query, { revision, isRaw });
  const shown = useOutputWindow(element, log, {
    wraps,
    hasTimes: times.areOn,
    startsAtEnd: linked === undefined,
  });
  const { show } = shown;
  const errors = useErrors(log, revision, show);

  const goTo = useCallback(
    (ordinal: number) => {
      if (search === undefined || search.total === 0) return;
      const next = (ordinal + search.total) % search.total;
      setChosen(next);
      const match = search.at(next);
      if (match !== undefined) show(match.line);
    },
    [search, show],
  );
  const link = useCallback(
    (line: number, isRange: boolean) => {
      const from = isRange ? (linked?.from ?? line) : line;
      onLink?.({ from: Math.min(from, line), to: Math.max(from, line) });
    },
    [linked, onLink],
  );
  useShownOnce(linked, log, show);
  useFirstMatch(search, shown.from, goTo);
  const isOver = stream.result.end !== undefined || stream.phase.kind === 'ended';

  return (
    <section
      ref={toolbar}
      className={classes(
        'flex min-h-0 flex-col overflow-hidden rounded border border-line bg-output',
        isFitted && isOver ? 'max-h-full' : 'h-full',
      )}
      aria-label="Execution log"
    >
      <OutputToolbar
        query={query}
        onQuery={setQuery}
        onLine={(line) => {
          show(log.indexOf(line));
          link(line, false);
        }}
        found={{ total: search?.total ?? 0, chosen, isComplete: search?.isComplete ?? true }}
        onStep={(step) => goTo(chosen + step)}
        lines={log.printed}
        errors={errors}
        wraps={wraps}
        onWraps={setWraps}
        isRaw={isRaw}
        onRaw={setRaw}
        hasTimes={times.areOn}
        onTimes={times.onSwitch}
        isFollowing={shown.isFollowing}
        isLive={!isOver}
        onFollow={shown.follow}
        onCopy={() => void copyAll(log)}
        onCopyMarkdown={() => void copyMarkdown(props)}
        onDownload={onDownload}
        isDownloading={isDownloading}
      />
      {log.cutLines > 0 && <CutNotice log={log} />}
      <div
        className={classes('relative min-h-0', !(isFitted && isOver) && 'flex-1')}
        style={
          isFitted && isOver ? { height: Math.max(shown.total, MIN_FITTED_PX) + SCROLLBAR_PX } : undefined
        }
      >
        <OutputLines
          element={element}
          log={log}
          window={shown}
          wraps={wraps}
          isRaw={isRaw}
          times={times.areOn ? (times.record ?? 'of arrival') : undefined}
          linked={linked}
          onLink={link}
          onSearch={() => toolbar.current?.querySelector('input')?.focus()}
          search={search}
          match={search?.at(chosen)}
          errorLine={errors.line}
        />
      </div>
      <StreamNotice
        stream={stream}
        // It would be seen to move when the box gets its height.
        isHidden={isFitted && (stream.phase.kind === 'connecting' || stream.phase.kind === 'live') && !isOver}
        link={linked && lineLink(linked)}
        hasNoTimes={times.areOn && times.areMissing}
      />
    </section>
  );
}

/** So that the search and the marks of an output of one line have room. */
const MIN_FITTED_PX = 80;
/** Of lines that are wider than the box. */
const SCROLLBAR_PX = 16;

/** The lines with errors, and the one that the person went to: each press goes to the next, and from the last to the first. */
function useErrors(log: LineLog, revision: number, show: (line: number) => void) {
  const search = useLogSearch(log, ERROR_WORDS, { revision, isRaw: false });
  const [line, setLine] = useState<number>();
  const next = line === undefined ? 0 : (search?.firstFrom(line + 1) ?? 0);
  const goToNext = () => {
    const match = search?.at(next);
    if (match === undefined) return;
    setLine(match.line);
    show(match.line);
  };
  const isDropped = line !== undefined && line < log.first;
  return { hasAny: (search?.total ?? 0) > 0, line: isDropped ? undefined : line, goToNext };
}

async function copyAll(log: LineLog): Promise<void> {
  await copy(log.plainText(), log.end - log.first);
}

/** The linked lines, or all of them. */
async function copyMarkdown({ stream, slug, url, linked }: OutputViewProps): Promise<void> {
  const { log, result } = stream;
  const from = linked === undefined ? log.first : log.indexOf(linked.from);
  const to = linked === undefined ? log.end : Math.min(log.indexOf(linked.to) + 1, log.end);
  const link = linked === undefined ? url : `${url}#${lineLink(linked)}`;
  const text = log.plainText(from, to);
  await copy(outputMarkdown({ slug, url: link, end: result.end, text }), Math.max(to - from, 0));
}

async function copy(text: string, lines: number): Promise<void> {
  const isCopied = await copyText(text);
  if (isCopied) showDone(lines === 1 ? '1 line copied' : `${grouped(lines)} lines copied`);
  else showProblem('The browser did not allow the copy', 'Download the output instead.');
}

/** The hub keeps the first and the last part of a long output. */
function CutNotice({ log }: { readonly log: LineLog }) {
  const kept = log.end - log.first - 1;
  return (
    <p role="status" className="border-b border-line bg-waiting-wash px-3 py-1 text-sm">
      {log.cutLines > 1
        ? `The output was too long to keep: ${grouped(log.cutLines)} of ${grouped(log.printed)} lines in the middle are not stored. The first and the last part are here, ${grouped(kept)} lines.`
        : 'The output was too long to keep: lines in the middle are not stored. Line numbers after the cut are too low.'}
    </p>
  );
}

/** Scrolls to the linked line as soon as it has arrived. */
function useShownOnce(linked: LinkedLines | undefined, log: LineLog, show: (line: number) => void): void {
  const { printed } = log;
  const done = useRef<LinkedLines>(undefined);
  useEffect(() => {
    if (linked === undefined || done.current === linked || printed < linked.from) return;
    done.current = linked;
    show(log.indexOf(linked.from));
  }, [linked, log, printed, show]);
}

/** Shows the first match from the current position on; later matches do not move the view. */
function useFirstMatch(search: LogSearch | undefined, from: number, goTo: (ordinal: number) => void): void {
  const done = useRef<LogSearch>(undefined);
  const start = useRef(from);
  useEffect(() => {
    if (search === undefined) start.current = from;
    if (search === undefined || done.current === search || !search.isDecidedFrom(start.current)) return;
    done.current = search;
    goTo(search.firstFrom(start.current));
  });
}

/** The time of one slice of a search: a frame has 16 ms. */
const SLICE_MS = 6;

/** A search that continues while the log grows; undefined without a query. Rerenders on new matches. */
function useLogSearch(
  log: LineLog,
  query: string | RegExp,
  { revision, isRaw }: { readonly revision: number; readonly isRaw: boolean },
): LogSearch | undefined {
  const search = useMemo(
    () => (query === '' ? undefined : new LogSearch(log, query, { raw: isRaw })),
    [log, query, isRaw],
  );
  const [, rerender] = useReducer((renders: number) => renders + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision means more text to search
  useEffect(() => {
    if (search === undefined) return;
    let frame = 0;
    const searchSlice = () => {
      const untilMs = performance.now() + SLICE_MS;
      const wasComplete = search.isComplete;
      const isNew = search.advance(() => performance.now() < untilMs);
      // A total would be equal for two queries with as many matches.
      if (isNew || search.isComplete !== wasComplete) rerender();
      if (!search.isComplete) frame = requestAnimationFrame(searchSlice);
    };
    frame = requestAnimationFrame(searchSlice);
    return () => cancelAnimationFrame(frame);
  }, [search, revision]);
  return search;
}
