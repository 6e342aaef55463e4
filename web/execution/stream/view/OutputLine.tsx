import { memo, useState } from 'react';
import { Ellipsis, RotateCcw } from '../../../design/icons.tsx';
import { grouped } from '../../../design/text/grouped.ts';
import { readLine } from '../ansi/read-line.ts';
import { PLAIN, type TextStyle } from '../ansi/style.ts';
import { hasErrorWord } from '../error-lines.ts';
import type { LogSearch } from '../log-search.ts';
import { DRAWN_CHARS } from './line-rows.ts';
import { OutputText } from './OutputText.tsx';

interface OutputLineProps {
  /** From 1, as printed. */
  readonly number: number;
  /** The line stands for this many lines that were cut; 1: their number is unknown. Undefined: it was printed. */
  readonly cutLines: number | undefined;
  readonly text: string;
  readonly style: TextStyle;
  /** Written to standard error. */
  readonly isError: boolean;
  readonly isRaw: boolean;
  readonly hasTime: boolean;
  /** Undefined: the time is not known. */
  readonly time: string | undefined;
  readonly timeTitle: string | undefined;
  readonly isLinked: boolean;
  /** The error that the person went to. */
  readonly isCurrentError: boolean;
  readonly search: LogSearch | undefined;
  /** The number of the current match in this line. */
  readonly current: number | undefined;
}

/** A line with its number, which is a link to it. */
export const OutputLine = memo(function OutputLine(props: OutputLineProps) {
  const { number, cutLines, text, style, isError, isRaw, isLinked, isCurrentError, search, current } = props;
  const [isWhole, setWhole] = useState(false);
  if (cutLines !== undefined) return <Gap number={number} lines={cutLines} />;
  const left = isWhole ? 0 : text.length - DRAWN_CHARS;
  const drawn = left > 0 ? text.slice(0, DRAWN_CHARS) : text;
  const line = isRaw
    ? { spans: [{ text: drawn, style: PLAIN }], text: drawn, rewrites: 0 }
    : readLine(drawn, style);
  const found = search?.rangesIn(line.text) ?? [];
  // The current match is in the part that is not drawn.
  if (left > 0 && current !== undefined && found[current] === undefined) setWhole(true);
  return (
    <div
      className="output-line"
      data-linked={isLinked || undefined}
      data-line={number}
      data-stderr={isError || undefined}
      title={isError ? 'Standard error' : undefined}
      data-error={isCurrentError ? 'current' : hasErrorWord(line.text) ? '' : undefined}
    >
      <a className="output-number" href={`#L${number}`} tabIndex={-1} data-number={number}>
        {number}
      </a>
      {props.hasTime && (
        <span className="output-time" title={props.timeTitle}>
          {props.time}
        </span>
      )}
      <div className="output-text">
        {line.rewrites > 0 && (
          <span className="output-mark" title={`Overwritten ${line.rewrites} times; Raw shows all text`}>
            <RotateCcw className="mr-1 inline size-3 align-[-1px]" />
            {line.rewrites}
          </span>
        )}
        <OutputText spans={line.spans} found={found} current={current} />
        {left > 0 && (
          <button type="button" className="output-mark text-accent" onClick={() => setWhole(true)}>
            {grouped(left)} more characters
          </button>
        )}
      </div>
    </div>
  );
});

/** Stands where lines are missing. The line after it has its true number. */
function Gap({ number, lines }: { readonly number: number; readonly lines: number }) {
  return (
    <div className="output-line" data-line={number} data-cut="">
      <span className="output-number" aria-hidden>
        <Ellipsis className="inline size-4" />
      </span>
      <div className="output-text">
        {lines === 1
          ? 'Lines are missing here: the output was too long to store.'
          : `${grouped(lines)} lines are missing here: ${grouped(number)} to ${grouped(number + lines - 1)}`}
      </div>
    </div>
  );
}
