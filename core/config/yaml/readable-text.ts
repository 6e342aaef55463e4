/** The place of a problem, as an offset. */
export interface UnreadableText {
  readonly offset: number;
  readonly message: string;
}

/**
 * Characters that a text file does not contain: control characters except tab and line feed, halves of surrogate pairs, and
 * the replacement character for bytes that are not UTF-8.
 */
const UNREADABLE = /[^\P{Cc}\t\n]|\p{Cs}|[\uFFFD-\uFFFF]/u;

/**
 * The text without its byte order mark, with line feeds as line ends. All other characters keep their line and column.
 *
 * NOTE: The YAML lexer uses some control characters as its own marks, so it must not receive any.
 */
export function normalizedText(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** The problem with the first character that is not part of a UTF-8 text; undefined if there is none. */
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
