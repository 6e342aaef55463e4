/** A run of text that shows as it is, or one character that does not show by itself. */
export interface VisiblePiece {
  readonly kind: 'text' | 'mark';
  /** Of a mark, its name: `\n`, `U+202E`. */
  readonly text: string;
}

/** Whatever is invisible, moves what stands around it, or looks like a space and is none. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const COMBINING = /\p{M}/u;
/** No script needs more on one letter; a pile of them covers the lines around it. */
const MOST_COMBINING = 4;

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\u001b', '\\e'],
]);

/** Text in which nothing hides: each character that does not show stands as a mark with its name. */
export function visiblePieces(text: string): VisiblePiece[] {
  const pieces: VisiblePiece[] = [];
  let run = '';
  let combining = MOST_COMBINING;
  for (const char of text) {
    combining = COMBINING.test(char) ? combining + 1 : 0;
    if (char === ' ' || (combining <= MOST_COMBINING && !UNSEEN.test(char))) {
      run += char;
      continue;
    }
    if (run !== '') pieces.push({ kind: 'text', text: run });
    run = '';
    pieces.push({ kind: 'mark', text: nameOf(char) });
  }
  return run === '' ? pieces : [...pieces, { kind: 'text', text: run }];
}

/** The same where there is text only: mails, chats, terminals. */
export function visibleText(text: string): string {
  return visiblePieces(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `‹${piece.text}›`))
    .join('');
}

function nameOf(char: string): string {
  const known = NAMES.get(char);
  if (known !== undefined) return known;
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
