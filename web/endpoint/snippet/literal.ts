import { visiblePieces } from '@svc/core/text/visible-text';

/** Whether a reader sees the character; invisible ones are escaped in a snippet. */
function isVisible(char: string): boolean {
  return visiblePieces(char).every(({ kind }) => kind === 'text');
}

/** The text with each invisible character replaced by `escapeOf(character)`. */
function withEscapes(text: string, escapeOf: (char: string) => string): string {
  return [...text].map((char) => (isVisible(char) ? char : escapeOf(char))).join('');
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** A string literal of JSON and JavaScript. */
export function jsonLiteral(text: string): string {
  return withEscapes(JSON.stringify(text), (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${hex(char.charCodeAt(at), 4)}`).join(''),
  );
}

/** A string literal of Python, which has an escape of its own for characters beyond 16 bits. */
export function pythonLiteral(text: string): string {
  return withEscapes(JSON.stringify(text), (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

const BARE_WORD = /^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:=@%+,-]*$/;
const encoder = new TextEncoder();

/** One word of a command line, for bash and zsh; without invisible characters, for any POSIX shell. */
export function shellWord(text: string): string {
  if (BARE_WORD.test(text)) return text;
  if ([...text].every(isVisible)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = text.replaceAll(/[\\']/g, String.raw`\$&`);
  // `\x` bytes mean the same in every locale; `\u` does not.
  const bytes = (char: string) => Array.from(encoder.encode(char), (byte) => `\\x${hex(byte, 2)}`).join('');
  return `$'${withEscapes(escaped, bytes)}'`;
}
