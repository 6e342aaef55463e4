import { type VisiblePiece, visiblePieces } from '@svc/core/text/visible-text';

/** The invisible characters of `visiblePieces` as one test for a whole text. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{M}\u2800]/u;
const PLAIN_ASCII = /^[\u0020-\u007e\t]*$/;
/** Emoji contain selectors and joiners, which are invisible but hide nothing there. */
const EMOJI =
  /(\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?(?:\ufe0f?\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?)*\ufe0f?|\t+)/u;

/** Splits output into visible text and marks for invisible characters. */
export function shownPieces(text: string): readonly VisiblePiece[] {
  if (PLAIN_ASCII.test(text) || !UNSEEN.test(text.replaceAll(/[ \t]/g, '')))
    return text === '' ? [] : [{ kind: 'text', text }];
  return text
    .split(EMOJI)
    .flatMap((part, at): VisiblePiece[] =>
      at % 2 === 1 ? [{ kind: 'text', text: part }] : visiblePieces(part),
    )
    .filter((piece) => piece.text !== '');
}
