/** Some text and where in its line it stands: `end` is the offset after its last character. */
export interface ColumnSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The matches in a line, from left to right; `pattern` is global. */
export function spansOf(line: string, pattern: RegExp): ColumnSpan[] {
  return Array.from(line.matchAll(pattern), ({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
  }));
}
