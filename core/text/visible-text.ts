/** A part of a text: visible text, or one invisible character. */
export interface VisiblePiece {
  readonly kind: 'text' | 'mark';
  /** The name of an invisible character: `\n`, `U+202E`. */
  readonly text: string;
}

/** Characters that are invisible, move the surrounding text, or look like a space. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const COMBINING = /\p{M}/u;
/** No script needs more combining marks on one letter. A longer pile covers the lines around it. */
const MAX_COMBINING = 4;

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\u001b', '\\e'],
]);

/**
 * The parts of a text in which nothing hides: each invisible character becomes a mark with its name, and a run of the same
 * character one mark.
 */
export function visiblePieces(text: string): VisiblePiece[] {
  const pieces: VisiblePiece[] = [];
  let run: Run | undefined;
  let combining = MAX_COMBINING;
  for (const char of text) {
    combining = COMBINING.test(char) ? combining + 1 : 0;
    const isSeen = char === ' ' || (combining <= MAX_COMBINING && !UNSEEN.test(char));
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
  /** The invisible character of this part; undefined for visible text. */
  readonly unseen: string | undefined;
  chars: string;
  count: number;
}

function pieceOf({ unseen, chars, count }: Run): VisiblePiece {
  if (unseen === undefined) return { kind: 'text', text: chars };
  return { kind: 'mark', text: count === 1 ? nameOf(unseen) : `${nameOf(unseen)} × ${count}` };
}

/** The same for plain text: mails, chats and terminals. */
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
