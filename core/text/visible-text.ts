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

/** Text in which nothing hides: each character that does not show stands as a mark with its name, a run of one as one. */
export function visiblePieces(text: string): VisiblePiece[] {
  const pieces: VisiblePiece[] = [];
  let run: Run | undefined;
  let combining = MOST_COMBINING;
  for (const char of text) {
    combining = COMBINING.test(char) ? combining + 1 : 0;
    const isSeen = char === ' ' || (combining <= MOST_COMBINING && !UNSEEN.test(char));
    const unseen = isSeen ? undefined : char;
    if (run !== undefined && run.unseen === unseen) {
      run.chars += char;
      run.count += 1;
      continue;
    }
    if (run !== undefined) pieces.push(pieceOf(run));
    run = { unseen, chars: char, count: 1 };
  }
  return run === undefined ? pieces : [...pieces, pieceOf(run)];
}

interface Run {
  /** The one character that it is made of; undefined: text that shows. */
  readonly unseen: string | undefined;
  chars: string;
  count: number;
}

function pieceOf({ unseen, chars, count }: Run): VisiblePiece {
  if (unseen === undefined) return { kind: 'text', text: chars };
  return { kind: 'mark', text: count === 1 ? nameOf(unseen) : `${nameOf(unseen)} × ${count}` };
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
