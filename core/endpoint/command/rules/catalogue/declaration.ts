import { literalPrefix, literalText, variableSetBy } from '../literal.ts';
import { markAssignment } from '../set-variable.ts';
import { markRefused, type Reason, type Walk } from '../walk.ts';

/** Options of `export` and its kind that leave a value a text; others make it a number, a list or a name. */
const HARMLESS = new Set(['--', '-g', '-p', '-r', '-rx', '-x', '-xr']);

/** `export NAME={{x}}`: a value may be what is assigned, never the name, which bash would evaluate. */
export function walkDeclaration(walk: Walk, at: number): void {
  for (let i = at + 1; i < walk.words.length; i++) {
    const word = walk.words[i];
    if (word === undefined) return;
    const text = literalText(word);
    if (text?.startsWith('-') && !HARMLESS.has(text)) {
      markRefused(walk, whyDeclared, i);
      return;
    }
    const name = variableSetBy(literalPrefix(word));
    if (name === undefined) markRefused(walk, whyDeclared, i, i + 1);
    else markAssignment(walk, name, i, at);
  }
}

const whyDeclared: Reason = (use) =>
  `${use.shown} could become the name of a variable or be evaluated: write NAME=${use.shown}, with no option but -x or -r`;

/** `set -- {{x}}`: only behind the dashes are the words mere data. */
export function walkSet(walk: Walk, at: number): void {
  const dashes = walk.words.findIndex((word, index) => index > at && literalText(word) === '--');
  markRefused(walk, whySet, at + 1, dashes === -1 ? walk.words.length : dashes);
}

const whySet: Reason = (use) => `${use.shown} could become an option of the shell: write set -- ${use.shown}`;
