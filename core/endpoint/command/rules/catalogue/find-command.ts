import { literalText } from '../literal.ts';
import { markRefused, mayBeginWithDash, type Reason, type Walk, whyDash } from '../walk.ts';

const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** `find`: the words behind `-exec` are a command, up to `;` or `+`. */
export function walkFind(walk: Walk, at: number): void {
  refuseFreeOptions(walk, at);
  for (let i = at + 1; i < walk.words.length; i++) {
    if (RUNS.has(literalText(walk.words[i]) ?? '')) i = walkExec(walk, i + 1);
  }
}

/** Gives roles to the command that begins at `start`; answers where it ends. */
function walkExec(walk: Walk, start: number): number {
  const end = endOfExec(walk, start);
  const inner: Walk = { ...walk, words: walk.words.slice(0, end) };
  walk.walkCommand(inner, start);
  walk.readsInput ||= inner.readsInput;
  for (let i = start + 1; i < end; i++) {
    const word = walk.words[i];
    // A value that is a word of its own could be the `;` that ends the command, and the next one an -exec of its own.
    if (word !== undefined && !word.parts.some((part) => part.kind === 'text' && part.text !== '')) {
      markRefused(walk, whyWholeWord, i, i + 1);
    }
  }
  return end;
}

/** `;` ends the command, and so does a `+` behind `{}`. */
function endOfExec(walk: Walk, start: number): number {
  const texts = walk.words.map(literalText);
  const end = texts.findIndex(
    (text, i) => i >= start && (text === ';' || (text === '+' && texts[i - 1] === '{}')),
  );
  return end === -1 ? texts.length : end;
}

function refuseFreeOptions(walk: Walk, at: number): void {
  for (let i = at + 1; i < walk.words.length; i++) {
    const word = walk.words[i];
    if (word !== undefined && mayBeginWithDash(walk, word)) markRefused(walk, whyDash, i, i + 1);
  }
}

const whyWholeWord: Reason = (use) =>
  `a value ";" in the place of ${use.shown} would end the command early: use find … -print0 | xargs -0 COMMAND -- ${use.shown}`;
