import { type ReactNode, useState } from 'react';
import { classes } from '../../../design/classes.ts';
import { ArrowDown, ArrowUp } from '../../../design/icons.tsx';
import { grouped } from '../../../design/text/grouped.ts';
import { isSearch, lineOfQuery } from './line-query.ts';

interface OutputToolbarProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly onLine: (line: number) => void;
  readonly found: {
    readonly total: number;
    readonly chosen: number;
    readonly isComplete: boolean;
    /** Lines to search are not loaded yet; `failed`: they could not be. */
    readonly missing: 'loading' | 'failed' | undefined;
    /** Where the searched lines begin, if there was no room for those before. */
    readonly start: string | undefined;
  };
  readonly onStep: (step: 1 | -1) => void;
  readonly lines: number;
  /** `line`: the one that the person went to. */
  readonly errors: {
    readonly hasAny: boolean;
    readonly line: number | undefined;
    readonly goToNext: () => void;
  };
  readonly wraps: boolean;
  readonly onWraps: (wraps: boolean) => void;
  readonly isRaw: boolean;
  readonly onRaw: (isRaw: boolean) => void;
  readonly hasTimes: boolean;
  readonly onTimes: (hasTimes: boolean) => void;
  readonly isFollowing: boolean;
  readonly isLive: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
  readonly onCopy: () => void;
  readonly onCopyMarkdown: () => void;
  readonly onDownload: () => void;
  readonly isDownloading: boolean;
}

/** The toolbar of the output: search, errors, wrap, raw, time stamps, follow, copy, download. */
export function OutputToolbar(props: OutputToolbarProps) {
  const { query, onQuery, onLine, found, onStep, lines, errors, onWraps, onRaw, onFollow } = props;
  const [hasMore, setHasMore] = useState(false);
  const rare = classes('@2xl:inline-flex', hasMore ? 'inline-flex' : 'hidden');
  const line = lineOfQuery(query);
  const errorWords = errors.line === undefined ? 'First error' : 'Next error';
  return (
    <div className="@container shrink-0 border-b border-line bg-paper px-2 py-1">
      <div className="flex flex-wrap items-center gap-x-1 gap-y-1">
        <input
          type="search"
          aria-label="Search the output, or :120 for a line"
          placeholder="Search or :120"
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onQuery('');
            if (event.key !== 'Enter') return;
            if (line === undefined) onStep(event.shiftKey ? -1 : 1);
            else onLine(Math.min(Math.max(line, 1), Math.max(lines, 1)));
          }}
          className="h-7 min-w-0 flex-1 basis-40 rounded border border-edge bg-raised px-2 font-mono text-sm placeholder:text-soft @2xl:max-w-80 @2xl:basis-28"
        />
        {isSearch(query) && (
          <>
            <span role="status" className="px-1 text-sm whitespace-nowrap text-soft">
              {countText(found)}
            </span>
            <Tool label="Previous match" isDisabled={found.total === 0} onPress={() => onStep(-1)}>
              <ArrowUp className="size-4" />
            </Tool>
            <Tool label="Next match" isDisabled={found.total === 0} onPress={() => onStep(1)}>
              <ArrowDown className="size-4" />
            </Tool>
          </>
        )}
        {props.isLive && (
          <Tool label="Follow the end" isOn={props.isFollowing} onPress={() => onFollow(!props.isFollowing)}>
            {props.isFollowing ? 'Following' : 'Paused'}
          </Tool>
        )}
        {/* Where the output is narrow, these tools have a row of their own, and the rare ones appear on demand. What comes and goes with
            the stream or a search is above it. */}
        <div className="flex w-full flex-wrap items-center gap-x-0.5 gap-y-1 @2xl:contents">
          <span className="ml-auto hidden px-1 text-sm whitespace-nowrap text-soft @2xl:inline">
            {grouped(lines)} {lines === 1 ? 'line' : 'lines'}
          </span>
          <Tool label={errorWords} isDisabled={!errors.hasAny} onPress={errors.goToNext}>
            {errorWords}
          </Tool>
          <Tool label="Wrap long lines" isOn={props.wraps} onPress={() => onWraps(!props.wraps)}>
            Wrap
          </Tool>
          <Tool label="Copy all lines" onPress={props.onCopy}>
            Copy
          </Tool>
          <Tool
            label="More tools"
            isExpanded={hasMore}
            onPress={() => setHasMore(!hasMore)}
            className="inline-flex @2xl:hidden"
          >
            More
          </Tool>
          <Tool
            label="Show control sequences as text"
            isOn={props.isRaw}
            onPress={() => onRaw(!props.isRaw)}
            className={rare}
          >
            Raw
          </Tool>
          <Tool
            label="Show when each line was printed"
            isOn={props.hasTimes}
            onPress={() => props.onTimes(!props.hasTimes)}
            className={rare}
          >
            Time stamps
          </Tool>
          <Tool label="Copy as Markdown" onPress={props.onCopyMarkdown} className={rare}>
            Markdown
          </Tool>
          <Tool label="Download" isDisabled={props.isDownloading} onPress={props.onDownload} className={rare}>
            Download
          </Tool>
        </div>
      </div>
    </div>
  );
}

interface ToolProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly onPress: () => void;
  /** Undefined: the tool is not a switch. */
  readonly isOn?: boolean;
  /** Undefined: the tool shows no others. */
  readonly isExpanded?: boolean;
  readonly isDisabled?: boolean;
  readonly className?: string;
}

function Tool({
  label,
  children,
  onPress,
  isOn,
  isExpanded,
  isDisabled = false,
  className = 'inline-flex',
}: ToolProps) {
  return (
    <button
      type="button"
      title={label}
      aria-label={isOn === undefined ? label : undefined}
      aria-pressed={isOn}
      aria-expanded={isExpanded}
      disabled={isDisabled}
      onClick={onPress}
      className={classes(
        'h-7 min-w-7 shrink-0 items-center justify-center rounded border border-transparent px-2 text-sm text-soft hover:border-edge hover:text-ink disabled:opacity-50 aria-expanded:text-ink aria-pressed:border-edge aria-pressed:bg-raised aria-pressed:text-ink',
        className,
      )}
    >
      {children}
    </button>
  );
}

function countText({ total, chosen, isComplete, missing, start }: OutputToolbarProps['found']): string {
  if (missing !== undefined) return missing === 'loading' ? 'Loading all lines…' : 'Not all lines are loaded';
  const more = isComplete ? '' : '…';
  const where = start === undefined ? '' : ` ${start}`;
  if (total === 0) return isComplete ? `No matches${where}` : 'Searching…';
  return `${grouped(chosen + 1)} of ${grouped(total)}${more}${where}`;
}
