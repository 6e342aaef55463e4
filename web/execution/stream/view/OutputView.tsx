import { useCallback, useEffect, useRef, useState } from 'react';
import type { ExecutionStream } from '../execution-stream.ts';
import { type LinkedLines, lineLink } from '../line-link.ts';
import type { LogSearch } from '../log-search.ts';
import { OutputLines } from './OutputLines.tsx';
import { OutputToolbar } from './OutputToolbar.tsx';
import { StreamNotice } from './StreamNotice.tsx';
import { useLogSearch } from './use-log-search.ts';
import { useOutputWindow } from './use-output-window.ts';

interface OutputViewProps {
  readonly stream: ExecutionStream;
  /** Saves all of the output as a file. */
  readonly onDownload: () => void;
  readonly isDownloading: boolean;
  readonly linked?: LinkedLines | undefined;
  /** Puts a link to lines into the address of the page; undefined where the page shows more than this output. */
  readonly onLink?: ((lines: LinkedLines) => void) | undefined;
}

/** The output of an execution, while it grows and after its end. */
export function OutputView({ stream, linked, onLink, onDownload, isDownloading }: OutputViewProps) {
  const { log, revision } = stream;
  const element = useRef<HTMLElement>(null);
  const [wraps, setWraps] = useKeptChoice('svc.output.wrap', window.innerWidth < 640);
  const [isRaw, setRaw] = useState(false);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const search = useLogSearch(log, query, { revision, isRaw });
  const shown = useOutputWindow(element, log, { wraps, startsAtEnd: linked === undefined });
  const { show } = shown;

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
  useShownOnce(linked, log.end, show);
  useFirstMatch(search, shown.from, goTo);

  return (
    <section className="flex h-full min-h-0 flex-col border border-line bg-sunken" aria-label="Execution log">
      <OutputToolbar
        query={query}
        onQuery={setQuery}
        onLine={(line) => {
          show(line - 1);
          link(line, false);
        }}
        found={{ total: search?.total ?? 0, chosen, isComplete: search?.isComplete ?? true }}
        onStep={(step) => goTo(chosen + step)}
        lines={log.end}
        wraps={wraps}
        onWraps={setWraps}
        isRaw={isRaw}
        onRaw={setRaw}
        isFollowing={shown.isFollowing}
        isLive={stream.result.end === undefined && stream.phase.kind !== 'ended'}
        onFollow={shown.follow}
        onDownload={onDownload}
        isDownloading={isDownloading}
      />
      <div className="relative min-h-0 flex-1">
        <OutputLines
          element={element}
          log={log}
          window={shown}
          wraps={wraps}
          isRaw={isRaw}
          linked={linked}
          onLink={link}
          search={search}
          match={search?.at(chosen)}
        />
      </div>
      <StreamNotice stream={stream} link={linked && lineLink(linked)} />
    </section>
  );
}

/** Scrolls to the linked line as soon as it has arrived. */
function useShownOnce(linked: LinkedLines | undefined, end: number, show: (line: number) => void): void {
  const done = useRef<LinkedLines>(undefined);
  useEffect(() => {
    if (linked === undefined || done.current === linked || end < linked.from) return;
    done.current = linked;
    show(linked.from - 1);
  }, [linked, end, show]);
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

/** A choice that this browser stores between visits. */
function useKeptChoice(key: string, fallback: boolean): [boolean, (choice: boolean) => void] {
  const [choice, setChoice] = useState(() => {
    const stored = localStorage.getItem(key);
    return stored === null ? fallback : stored === 'yes';
  });
  const keep = (next: boolean) => {
    localStorage.setItem(key, next ? 'yes' : 'no');
    setChoice(next);
  };
  return [choice, keep];
}
