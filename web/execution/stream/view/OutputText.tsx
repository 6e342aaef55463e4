import type { CSSProperties } from 'react';
import type { StyledText } from '../ansi/read-line.ts';
import { shownPieces } from '../ansi/shown-pieces.ts';
import type { Colour, TextStyle } from '../ansi/style.ts';
import type { TextRange } from '../log-search.ts';

interface OutputTextProps {
  readonly spans: readonly StyledText[];
  /** The matches in the text of the spans. */
  readonly found: readonly TextRange[];
  /** The number of the current match. */
  readonly current: number | undefined;
}

/** The text of a line in its colours. Output is always text, never HTML. */
export function OutputText({ spans, found, current }: OutputTextProps) {
  let at = 0;
  return spans.map(({ text, style }) => {
    const from = at;
    at += text.length;
    return (
      <span key={from} className={classesOf(style)} style={coloursOf(style)}>
        {cutAt(text, from, found).map((part) => (
          <FoundText
            key={part.from}
            {...part}
            isCurrent={part.match !== undefined && part.match === current}
          />
        ))}
      </span>
    );
  });
}

interface Part {
  readonly text: string;
  readonly from: number;
  readonly match: number | undefined;
}

function FoundText({ text, match, isCurrent }: Part & { readonly isCurrent: boolean }) {
  if (match === undefined) return <Shown text={text} />;
  return (
    <mark data-current={isCurrent || undefined}>
      <Shown text={text} />
    </mark>
  );
}

function Shown({ text }: { readonly text: string }) {
  const pieces = shownPieces(text);
  if (pieces.length === 1 && pieces[0]?.kind === 'text') return text;
  return pieces.map((piece, place) =>
    piece.kind === 'text' ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a line never changes, and its pieces have no id
      <span key={place} className="output-mark">
        {piece.text}
      </span>
    ),
  );
}

/** Cuts a text that starts at `offset` of its line where matches start and end. */
function cutAt(text: string, offset: number, found: readonly TextRange[]): Part[] {
  const parts: Part[] = [];
  const end = offset + text.length;
  let at = offset;
  const cut = (to: number, match: number | undefined) => {
    if (to > at) parts.push({ text: text.slice(at - offset, to - offset), from: at, match });
    at = Math.max(at, to);
  };
  for (const [match, range] of found.entries()) {
    if (range.to <= offset || range.from >= end) continue;
    cut(Math.min(range.from, end), undefined);
    cut(Math.min(range.to, end), match);
  }
  cut(end, undefined);
  return parts;
}

function classesOf(style: TextStyle): string | undefined {
  const { ink, paper } = style;
  // Text in its background colour would be invisible; the background is dropped.
  const hasPaper = paper !== undefined && paper !== ink;
  const classes = [
    ink === undefined ? '' : typeof ink === 'number' ? 'ansi-ink' : 'ansi-rgb',
    hasPaper ? 'ansi-paper' : '',
    style.bold ? 'ansi-bold' : '',
    style.dim && ink === undefined ? 'ansi-dim' : '',
    style.italic ? 'ansi-italic' : '',
    style.underline ? 'ansi-underline' : '',
    style.struck ? 'ansi-struck' : '',
    style.inverse ? 'ansi-inverse' : '',
  ].filter((name) => name !== '');
  return classes.length === 0 ? undefined : classes.join(' ');
}

function coloursOf({ ink, paper }: TextStyle): CSSProperties | undefined {
  if (ink === undefined && paper === undefined) return undefined;
  return { '--ansi-ink': cssColour(ink), '--ansi-paper': cssColour(paper) } as CSSProperties;
}

function cssColour(colour: Colour | undefined): string | undefined {
  if (colour === undefined) return undefined;
  return typeof colour === 'number' ? `var(--ansi-${colour})` : `rgb(${colour})`;
}
