import type { Script, ShellWord, Span } from '../shell/script.ts';
import { barestText, literalText } from './literal.ts';

/** A text that the shell of the script itself runs, sooner or later, and the words that hold it. */
export interface HiddenCode extends Span {
  readonly text: string;
}

/**
 * What stands behind `eval` and `trap`. It makes aliases, functions and variables like the rest of the script, but as a word
 * it would not be looked at.
 */
export function hiddenCode(script: Script, source: string): HiddenCode[] {
  return script.commands.flatMap(({ words }) => {
    const at = words.findIndex((word) => ['eval', 'trap'].includes(barestText(word)));
    const name = words[at];
    if (name === undefined) return [];
    const isEval = barestText(name) === 'eval';
    const behind = words.slice(at + 1);
    // Options of its own come first; a word like one that comes later is an option of what it runs.
    const begin = behind.findIndex((word) => !literalText(word)?.startsWith('-'));
    const held = begin < 0 ? [] : behind.slice(begin, isEval ? undefined : begin + 1);
    const [first, last] = [held.at(0), held.at(-1)];
    if (first === undefined || last === undefined) return [];
    const text = held.map((word) => textOf(word, source)).join(' ');
    return [{ start: first.start, end: last.end, text }];
  });
}

/** As it will be run; an expansion stands for whatever it becomes. */
function textOf({ parts }: ShellWord, source: string): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      return part.kind === 'expansion' ? source.slice(part.start, part.end) : `{{${part.name}}}`;
    })
    .join('');
}
