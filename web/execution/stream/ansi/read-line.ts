import { applySgr, PLAIN, type TextStyle } from './style.ts';

/** Text in one style. */
export interface StyledText {
  readonly text: string;
  readonly style: TextStyle;
}

/** A line of output for display. */
export interface ReadLine {
  readonly spans: readonly StyledText[];
  /** The text of the spans, which the search uses. */
  readonly text: string;
  /** How often a carriage return overwrote the line; the spans hold the last text only. */
  readonly rewrites: number;
}

/**
 * The sequences that a terminal executes instead of printing: control sequences (the first group is the parameters of an
 * SGR), terminated strings (titles, links), two-character escapes, and the carriage return.
 *
 * An unterminated string would swallow the text after it, so its ESC counts as text.
 */
const CONTROL =
  // oxlint-disable-next-line no-control-regex -- the expression must match control characters
  /(?:\u001b\[|\u009b)(?:([\d;:]*)m|[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e])|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b(?:[\u0020-\u002f]+[\u0030-\u007e]|[\u0030-\u004f\u0051-\u0057\u0059\u005a\u005c\u0060-\u007e])|\r/g;

// oxlint-disable-next-line no-control-regex -- the expression must match control characters
const HAS_CONTROL = /[\r\u001b\u0090\u0098\u009b\u009d-\u009f]/;

/** Reads a line. `style` is the style at the end of the previous line. */
export function readLine(line: string, style: TextStyle = PLAIN): ReadLine {
  if (!HAS_CONTROL.test(line))
    return { spans: line === '' ? [] : [{ text: line, style }], text: line, rewrites: 0 };
  const draft = new Draft();
  let current = style;
  let from = 0;
  for (const control of line.matchAll(CONTROL)) {
    draft.write(line.slice(from, control.index), current);
    if (control[0] === '\r') draft.goBack();
    else if (control[1] !== undefined) current = applySgr(current, control[1]);
    from = control.index + control[0].length;
  }
  draft.write(line.slice(from), current);
  return draft.finish();
}

/** The style at the end of a line. */
export function styleAfter(line: string, style: TextStyle): TextStyle {
  if (!line.includes('\u001b') && !line.includes('\u009b')) return style;
  let current = style;
  for (const [, sgr] of line.matchAll(CONTROL)) if (sgr !== undefined) current = applySgr(current, sgr);
  return current;
}

class Draft {
  #spans: StyledText[] = [];
  #text = '';
  #rewrites = 0;
  #isBack = false;

  write(text: string, style: TextStyle): void {
    if (text === '') return;
    if (this.#isBack) this.#startAgain();
    this.#text += text;
    const last = this.#spans.at(-1);
    if (last?.style === style) this.#spans[this.#spans.length - 1] = { text: last.text + text, style };
    else this.#spans.push({ text, style });
  }

  /** The text stays until new text overwrites it: a progress bar ends with a carriage return and nothing else. */
  goBack(): void {
    this.#isBack = true;
  }

  finish(): ReadLine {
    return { spans: this.#spans, text: this.#text, rewrites: this.#rewrites };
  }

  #startAgain(): void {
    this.#isBack = false;
    if (this.#spans.length === 0) return;
    this.#spans = [];
    this.#text = '';
    this.#rewrites += 1;
  }
}
