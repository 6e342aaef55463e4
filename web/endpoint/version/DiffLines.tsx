import { VisibleLines } from '../../design/text/VisibleLines.tsx';
import type { DiffLine } from './line-diff.ts';

/** The lines of a difference, with what was and what is. */
export function DiffLines({ lines }: { readonly lines: readonly DiffLine[] }) {
  return lines.map((line, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one difference, which changes as a whole
    <Line key={place} line={line} />
  ));
}

const LOOKS = {
  same: { sign: ' ', word: undefined, look: '' },
  before: { sign: '−', word: 'was', look: 'bg-bad-wash' },
  after: { sign: '+', word: 'is', look: 'bg-accent-wash' },
} as const;

function Line({ line: { kind, text } }: { readonly line: DiffLine }) {
  const { sign, word, look } = LOOKS[kind];
  return (
    <div className={`grid grid-cols-[1ch_minmax(0,1fr)] gap-2 px-2 ${look}`}>
      <span aria-hidden className="text-soft select-none">
        {sign}
      </span>
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        {word && <span className="sr-only">{word} </span>}
        {text === '' ? kind !== 'same' && <i>empty</i> : <VisibleLines text={text} />}
      </span>
    </div>
  );
}
