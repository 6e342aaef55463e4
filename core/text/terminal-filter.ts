/**
 * Lets text and colours through to a terminal and drops every other instruction: cursor moves, titles, links, the clipboard,
 * questions that the terminal answers as if they were typed.
 *
 * Text arrives in chunks, and a sequence may be cut anywhere. A sequence that a line break cuts off ends there, so an unclosed
 * one hides at most the rest of its line.
 */
export class TerminalFilter {
  #state: State = 'text';
  /** A control sequence so far, which may turn out to be a colour. */
  #sequence = '';

  push(chunk: string): string {
    if (this.#state === 'text' && !DROPPED.test(chunk)) return chunk;
    let shown = '';
    // By code units: a chunk may end between the two halves of a character.
    for (let at = 0; at < chunk.length; at += 1) shown += this.#take(chunk.charAt(at));
    return shown;
  }

  #take(char: string): string {
    if (LINE_END.test(char)) return this.#end(char);
    if (ABORTS.test(char)) return this.#end('');
    if (this.#state === 'string' && char === '\x07') return this.#end('');
    if (char === '\x1b') return this.#enter('escape');
    const introduced = INTRODUCERS_8_BIT.get(char);
    if (introduced !== undefined) return this.#enter(introduced);
    switch (this.#state) {
      case 'text':
        return shownAsText(char);
      case 'escape':
        return this.#afterEscape(char);
      case 'control':
        return this.#inControl(char);
      case 'string':
        return '';
    }
  }

  /** ESC and one character, with intermediates such as `(` between them; some characters introduce a longer sequence. */
  #afterEscape(char: string): string {
    const introduced = INTRODUCERS_7_BIT.get(char);
    if (introduced !== undefined && this.#sequence === '') return this.#enter(introduced);
    if (!INTERMEDIATE.test(char)) return this.#end(FINAL.test(char) ? '' : shownAsText(char));
    this.#sequence += char;
    return '';
  }

  #inControl(char: string): string {
    if (!PARAMETER.test(char) && !FINAL_OF_CONTROL.test(char)) return this.#end(shownAsText(char));
    this.#sequence += char;
    if (this.#sequence.length > LONGEST_CONTROL) return this.#end('');
    if (PARAMETER.test(char)) return '';
    return this.#end(COLOUR.test(this.#sequence) ? `\x1b[${this.#sequence}` : '');
  }

  #enter(state: State): string {
    this.#state = state;
    this.#sequence = '';
    return '';
  }

  #end(shown: string): string {
    this.#enter('text');
    return shown;
  }
}

function shownAsText(char: string): string {
  return DROPPED.test(char) ? '' : char;
}

type State = 'text' | 'escape' | 'control' | 'string';

const LONGEST_CONTROL = 128;

/** The characters after ESC: CSI; OSC, DCS, SOS, PM and APC carry a string. */
const INTRODUCERS_7_BIT: ReadonlyMap<string, State> = new Map([
  ['[', 'control'],
  [']', 'string'],
  ['P', 'string'],
  ['X', 'string'],
  ['^', 'string'],
  ['_', 'string'],
]);

/** The same as single characters. */
const INTRODUCERS_8_BIT: ReadonlyMap<string, State> = new Map([
  ['\x9b', 'control'],
  ['\x9d', 'string'],
  ['\x90', 'string'],
  ['\x98', 'string'],
  ['\x9e', 'string'],
  ['\x9f', 'string'],
]);

const LINE_END = /[\n\r]/;
/** CAN, SUB and the 8-bit string terminator end every sequence. */
const ABORTS = /[\x18\x1a\x9c]/;
const PARAMETER = /[\x20-\x3f]/;
const INTERMEDIATE = /[\x20-\x2f]/;
const FINAL = /[\x30-\x7e]/;
const FINAL_OF_CONTROL = /[\x40-\x7e]/;
/** `m` with a private prefix or an intermediate is no colour: `ESC [ > 4 ; 1 m` changes what keys send. */
const COLOUR = /^[\d;:]*m$/;
/** Control characters but tab and line breaks, and characters that turn the direction of the text around them. */
const DROPPED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
