import { dataText, EXECUTION_META, RUN_META, type ToolResult } from './call-result.ts';

/** The lines of an output that an agent reads: some from a number on, and only those that contain a text. */
export interface OutputQuery {
  /** From 1. */
  readonly fromLine: number;
  readonly lines: number;
  /** Plain text, not a pattern; case counts. */
  readonly grep: string | undefined;
}

export const MAX_OUTPUT_LINES = 1_000;
export const DEFAULT_OUTPUT_LINES = 200;
/** In UTF-16 code units. */
const MAX_PAGE_CHARS = 64 * 1024;
const MAX_LINE_CHARS = 4 * 1024;

/** What printed the lines of a page. */
export interface PageSource {
  readonly kind: 'execution' | 'run';
  readonly id: string;
  /** It prints no more. */
  readonly isOver: boolean;
}

/** A page of output for an agent: how many lines it has, how to read on, and the lines. */
export function pageResult(page: OutputPage, { kind, id, isOver }: PageSource): ToolResult {
  const { text, nextLine, count } = page.end();
  const end = isOver
    ? 'That is the end of the output.'
    : `That is all so far: the ${kind === 'run' ? 'run' : 'command'} continues.`;
  const more = nextLine === undefined ? end : `More from line ${nextLine} on.`;
  return {
    content: [{ type: 'text', text: `${count} lines. ${more}` }, ...(text === '' ? [] : [dataText(text)])],
    isError: false,
    _meta: { [kind === 'run' ? RUN_META : EXECUTION_META]: id },
  };
}

/** Reads one page of lines out of pieces of text, in one pass. */
export class OutputPage {
  readonly #query: OutputQuery;
  readonly #kept: { readonly number: number; readonly text: string }[] = [];
  #open = '';
  #number = 0;
  #chars = 0;
  #next: number | undefined;

  constructor(query: OutputQuery) {
    this.#query = query;
  }

  /** The page is complete: more pieces change nothing. */
  get isFull(): boolean {
    return this.#next !== undefined;
  }

  add(piece: string): void {
    if (this.isFull) return;
    const lines = (this.#open + piece).split('\n');
    this.#open = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  /** The page as text, with line numbers if lines were left out by `grep`; and the number of the next line, if there is one. */
  end(): { readonly text: string; readonly nextLine: number | undefined; readonly count: number } {
    if (!this.isFull && this.#open !== '') this.#line(this.#open);
    const numbered = this.#query.grep !== undefined;
    const text = this.#kept.map(({ number, text: line }) => (numbered ? `${number}: ${line}` : line));
    return { text: text.join('\n'), nextLine: this.#next, count: this.#kept.length };
  }

  #line(line: string): void {
    this.#number += 1;
    const { fromLine, lines, grep } = this.#query;
    if (this.isFull || this.#number < fromLine || (grep !== undefined && !line.includes(grep))) return;
    if (this.#kept.length >= lines || this.#chars >= MAX_PAGE_CHARS) {
      this.#next = this.#number;
      return;
    }
    const text = line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS)}…`;
    this.#chars += text.length;
    this.#kept.push({ number: this.#number, text: text.toWellFormed() });
  }
}
