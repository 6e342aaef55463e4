import { visiblePieces } from '@svc/core/text/visible-text';

/** Characters that stand for themselves in whoever's program text: whatever else a value has, a reader would not see. */
function isSeen(char: string): boolean {
  return visiblePieces(char).every(({ kind }) => kind === 'text');
}

/** The text with each character that does not show written as `spell` writes it. */
function withEscapes(text: string, spell: (char: string) => string): string {
  return [...text].map((char) => (isSeen(char) ? char : spell(char))).join('');
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** A string as JSON and JavaScript write it. */
export function jsonLiteral(text: string): string {
  return withEscapes(JSON.stringify(text), (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${hex(char.charCodeAt(at), 4)}`).join(''),
  );
}

/** The same as Python writes it, which has an escape of its own for what is beyond 16 bits. */
export function pythonLiteral(text: string): string {
  return withEscapes(JSON.stringify(text), (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

const BARE_WORD = /^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:=@%+,-]*$/;
const encoder = new TextEncoder();

/** One word of a command line, for bash and zsh; without characters that do not show it is one for any POSIX shell. */
export function shellWord(text: string): string {
  if (BARE_WORD.test(text)) return text;
  if ([...text].every(isSeen)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = text.replaceAll(/[\\']/g, String.raw`\$&`);
  // Bytes are the same in every locale; `\u` is not.
  const bytes = (char: string) => Array.from(encoder.encode(char), (byte) => `\\x${hex(byte, 2)}`).join('');
  return `$'${withEscapes(escaped, bytes)}'`;
}
