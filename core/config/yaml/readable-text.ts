/** Where a problem was found, before line and column are counted. */
export interface UnreadableText {
  readonly offset: number;
  readonly message: string;
}

/** What no text file holds: control characters but tab and line feed, halves of surrogate pairs, and what a decoder leaves for bytes that are not UTF-8. */
const UNREADABLE = /[^\P{Cc}\t\n]|\p{Cs}|[\uFFFD-\uFFFF]/u;

/**
 * The text without its byte order mark and with line feeds only; no character that stays changes its line or column.
 *
 * NOTE: The YAML lexer uses some control characters for marks of its own, so none may reach it.
 */
export function normalizedText(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** The first character that shows that this is no UTF-8 text, if there is one. */
export function unreadableCharacter(text: string): UnreadableText | undefined {
  const offset = text.search(UNREADABLE);
  if (offset === -1) return undefined;
  const code = text.charCodeAt(offset);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return { offset, message: `character ${name}: ${explain(code)}` };
}

function explain(code: number): string {
  if (code === 0) return 'this is a binary file or UTF-16; UTF-8 text expected';
  if (code === 0x0d) return 'a carriage return without a line feed; end lines with a line feed';
  if (code >= 0xd800) return 'these bytes are not UTF-8; save the file as UTF-8';
  return 'a control character; in a value write it as an escape in double quotes, such as "\\x1b"';
}
