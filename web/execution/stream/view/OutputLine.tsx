import { memo, useState } from 'react';
import { readLine } from '../ansi/read-line.ts';
import { PLAIN, type TextStyle } from '../ansi/style.ts';
import type { LogSearch } from '../log-search.ts';
import { DRAWN_CHARS } from './line-rows.ts';
import { OutputText } from './OutputText.tsx';

interface OutputLineProps {
  /** From 1, as printed. */
  readonly number: number;
  /** The line stands for lines that were cut. */
  readonly isCut: boolean;
  readonly text: string;
  readonly style: TextStyle;
  readonly isRaw: boolean;
  readonly isLinked: boolean;
  readonly search: LogSearch | undefined;
  /** The number of the current match in this line. */
  readonly current: number | undefined;
}

/** A line with its number, which is a link to it. */
export const OutputLine = memo(function OutputLine(props: OutputLineProps) {
  const { number, isCut, text, style, isRaw, isLinked, search, current } = props;
  const [isWhole, setWhole] = useState(false);
  const left = isWhole ? 0 : text.length - DRAWN_CHARS;
  const drawn = left > 0 ? text.slice(0, DRAWN_CHARS) : text;
  const line = isRaw
    ? { spans: [{ text: drawn, style: PLAIN }], text: drawn, rewrites: 0 }
    : readLine(drawn, style);
  return (
    <div
      className="output-line"
      data-linked={isLinked || undefined}
      data-line={number}
      data-cut={isCut || undefined}
    >
      <a className="output-number" href={`#L${number}`} tabIndex={-1} data-number={number}>
        {isCut ? '⋯' : number}
      </a>
      <div className="output-text">
        {line.rewrites > 0 && (
          <span className="output-mark" title={`Overwritten ${line.rewrites} times; Raw shows all text`}>
            ↺ {line.rewrites}
          </span>
        )}
        <OutputText spans={line.spans} found={search?.rangesIn(line.text) ?? []} current={current} />
        {left > 0 && (
          <button type="button" className="output-mark text-accent" onClick={() => setWhole(true)}>
            {left.toLocaleString('en')} more characters
          </button>
        )}
      </div>
    </div>
  );
});
