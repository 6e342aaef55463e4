import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { classes } from '../../../design/classes.ts';
import { showDone, showProblem } from '../../../design/overlay/toasts.ts';
import { copyText } from '../../../design/text/CopyButton.tsx';
import { grouped } from '../../../design/text/grouped.ts';
import { useKeptChoice } from '../../../design/use-kept-choice.ts';
import { copiedLines, startText } from '../copied-lines.ts';
import type { ExecutionStream } from '../execution-stream.ts';
import { type LinkedLines, lineLink } from '../line-link.ts';
import type { LineLog } from '../line-log.ts';
import { outputMarkdown } from '../output-markdown.ts';
import type { RecordedTimes } from '../recorded-times.ts';
import { isSearch } from './line-query.ts';
import { OutputLines } from './OutputLines.tsx';
import { OutputToolbar } from './OutputToolbar.tsx';
import { StreamNotice } from './StreamNotice.tsx';
import { useErrors, useFirstMatch, useLogSearch } from './use-log-search.ts';
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
  const isOver = stream.result.end !== undefined || stream.phase.kind === 'ended';
  const shown = useOutputWindow(element, log, {
    wraps,
    hasTimes: times.areOn,
    startsAtEnd: linked === undefined,
  });
  const { show } = shown;
  const errors = useErrors(log, revision, show);
  const revealMatch = useRevealedMatch(element);

  const goTo = useCallback(
    (ordinal: number) => {
      if (search === undefined || search.total === 0) return;
      const next = (ordinal + search.total) % search.total;
      setChosen(next);
      const match = search.at(next);
      if (match === undefined) return;
      show(match.line);
      revealMatch();
    },
    [search, show, revealMatch],
  );
  const link = useCallback(
    (line: number, isRange: boolean) => {
      const from = isRange ? (linked?.from ?? line) : line;
      onLink?.({ from: Math.min(from, line), to: Math.max(from, line) });
    },
    [linked, onLink],
  );
  const isShown = useShownOnce(linked, { log, isOver }, show);
  useFirstMatch(search, shown.from, goTo);
  useEarlierLines(stream, {
    isAllWanted: isSearch(query) || errors.isWaiting,
    // At the end nothing earlier is in sight, and before the linked line is, the view is elsewhere.
    from: shown.isFollowing || !isShown ? undefined : shown.from,
  });

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
        found={{
          total: search?.total ?? 0,
          chosen,
          isComplete: search?.isComplete ?? true,
          missing: log.isWhole ? undefined : (stream.earlier ?? 'loading'),
          start: startText(log),
        }}
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
        onCopy={() => void copyAll(stream)}
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
          onCopyAll={() => void copyAll(stream)}
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

async function copyAll(stream: ExecutionStream): Promise<void> {
  if (!(await hasLines(stream, 0))) return;
  const { text, summary } = copiedLines(stream.log);
  await copy(text, summary);
}

/** The linked lines, or all of them. */
async function copyMarkdown({ stream, slug, url, linked }: OutputViewProps): Promise<void> {
  const { log, result } = stream;
  if (!(await hasLines(stream, linked === undefined ? 0 : log.indexOf(linked.from)))) return;
  const { text, count, summary } =
    linked === undefined
      ? copiedLines(log)
      : copiedLines(log, log.indexOf(linked.from), log.indexOf(linked.to) + 1);
  if (count === 0 && linked !== undefined)
    return showProblem('The linked lines are not shown', 'Download the output instead.');
  const link = linked === undefined ? url : `${url}#${lineLink(linked)}`;
  await copy(outputMarkdown({ slug, url: link, end: result.end, text }), summary);
}

/** Loads the lines from this index on that the log has room for; says so and returns false if that fails. */
async function hasLines(stream: ExecutionStream, from: number): Promise<boolean> {
  const { log } = stream;
  await stream.loadFrom(from);
  const isLoaded = log.isWhole || from >= log.first;
  if (!isLoaded) showProblem('Not all lines could be loaded', 'Download the output instead.');
  return isLoaded;
}

async function copy(text: string, summary: string): Promise<void> {
  const isCopied = await copyText(text);
  if (isCopied) showDone(summary);
  else showProblem('The browser did not allow the copy', 'Download the output instead.');
}

/** The hub keeps the first and the last part of a long output. */
function CutNotice({ log }: { readonly log: LineLog }) {
  const kept = log.end - log.start - 1;
  return (
    <p role="status" className="border-b border-line bg-waiting-wash px-3 py-1 text-sm">
      {log.cutLines > 1
        ? `The output was too long to keep: ${grouped(log.cutLines)} of ${grouped(log.printed)} lines in the middle are not stored. The first and the last part are here, ${grouped(kept)} lines.`
        : 'The output was too long to keep: lines in the middle are not stored. Line numbers after the cut are too low.'}
    </p>
  );
}

/** Scrolls to the linked line as soon as it has a place. Returns whether there is nothing left to show. */
function useShownOnce(
  linked: LinkedLines | undefined,
  { log, isOver }: { readonly log: LineLog; readonly isOver: boolean },
  show: (line: number) => void,
): boolean {
  const { printed } = log;
  const [done, setDone] = useState<LinkedLines>();
  useEffect(() => {
    if (linked === undefined || done === linked || printed < linked.from) return;
    setDone(linked);
    show(log.indexOf(linked.from));
  }, [linked, done, log, printed, show]);
  return linked === undefined || done === linked || (isOver && printed < linked.from);
}

/** Returns the function that scrolls to the current match, also along its line, as soon as the match is drawn. */
function useRevealedMatch(element: RefObject<HTMLElement | null>): () => void {
  const isWanted = useRef(false);
  useLayoutEffect(() => {
    if (!isWanted.current) return;
    const mark = element.current?.querySelector('mark[data-current]');
    if (mark == null) return;
    isWanted.current = false;
    mark.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  return useCallback(() => {
    isWanted.current = true;
  }, []);
}

/** Loaded above the lines in sight before they are reached. */
const AHEAD_LINES = 300;

/** Loads earlier lines: all of them, or those around the first line in sight. */
function useEarlierLines(
  stream: ExecutionStream,
  { isAllWanted, from }: { readonly isAllWanted: boolean; readonly from: number | undefined },
): void {
  useEffect(() => {
    if (stream.log.isWhole || stream.earlier === 'failed') return;
    const wanted = isAllWanted ? 0 : from && Math.max(from - AHEAD_LINES, 0);
    if (wanted !== undefined && wanted < stream.log.first) void stream.loadFrom(wanted);
  });
}
