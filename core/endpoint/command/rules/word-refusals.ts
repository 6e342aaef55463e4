import { isCarrier, VALUE_VARIABLES } from './carriers.ts';
import type { Check } from './check.ts';
import type { WalkedCommand } from './flows.ts';
import { barestText, literalText } from './literal.ts';
import { whyEvaluated } from './refused-places.ts';
import type { Reason, Walk } from './walk.ts';

/** The rules about the words of one command. */
export function refuseWords(check: Check, { span, walk }: WalkedCommand): void {
  refuseRoles(check, walk);
  refuseSplitting(check, walk);
  refuseBareNames(check, walk);
  if (check.uses.all.length === 0) return;
  if (makesAlias(walk)) check.problems.add(span, ALIAS_MESSAGE);
  else if (redefines(walk)) check.problems.add(span, REDEFINITION_MESSAGE);
}

function refuseRoles({ uses, problems }: Check, walk: Walk): void {
  for (const [index, word] of walk.words.entries()) {
    const role = walk.roles[index];
    if (role?.kind !== 'refused') continue;
    for (const use of uses.within(word)) problems.add(use, role.reason(use));
  }
}

/**
 * Outside quotes a variable becomes several words, and each of them could be an option or a command of its own. To `set`
 * and `for` that is what splitting a list is for.
 */
function refuseSplitting({ uses, problems }: Check, walk: Walk): void {
  if (walk.chain[0] === 'set') return;
  for (const part of walk.words.flatMap((word) => word.parts)) {
    if (part.kind !== 'expansion' || part.quoted) continue;
    for (const use of uses.within(part)) {
      const isAll = use.start <= part.start && use.end >= part.end;
      problems.add(use, isAll ? whyUnquoted(use) : whyUnquotedResult(use));
    }
  }
}

/** Commands that take a name without a `$` for the variable and evaluate what it holds, in bash or ksh. */
const EVALUATORS = new Set(
  'let declare typeset local test [ exit return shift break continue ulimit'.split(' '),
);

function refuseBareNames({ args, problems }: Check, walk: Walk): void {
  if (!EVALUATORS.has(walk.chain.at(-1) ?? '')) return;
  for (const word of walk.words) {
    for (const [name] of (literalText(word) ?? '').matchAll(VALUE_VARIABLES)) {
      if (isCarrier(name, args)) problems.add(word, whyEvaluated({ ...word, shown: name, variable: name }));
    }
  }
}

/** After an alias later words are not what they seem. */
function makesAlias(walk: Walk): boolean {
  return mayBe(walk, 'alias');
}

/** Other ways to make a word mean another command: a path by hand, a loaded builtin, a script that stands in this one. */
function redefines(walk: Walk): boolean {
  const has = (pattern: RegExp) => walk.words.some((word) => pattern.test(barestText(word)));
  return (
    (mayBe(walk, 'hash') && has(/^-\w*p/)) ||
    (mayBe(walk, 'enable') && has(/^-\w*f/)) ||
    ((mayBe(walk, '.') || mayBe(walk, 'source')) && has(/^\/(?:dev|proc)\//))
  );
}

/** Whether the command is this one, as far as can be told before it runs. */
function mayBe({ chain, words: [first] }: Walk, name: string): boolean {
  return chain.includes(name) || (first !== undefined && barestText(first) === name);
}

const REDEFINITION_MESSAGE =
  'this changes what later words mean, so values beside it cannot be checked: leave it out, or move it into a script';
const ALIAS_MESSAGE =
  'an alias changes what later words mean, so values beside it cannot be checked: write a function';

const whyUnquoted: Reason = (use) =>
  `${use.shown} is outside quotes here, where its value becomes several words: put double quotes around it`;

const whyUnquotedResult: Reason = (use) =>
  `what is made of ${use.shown} here stands outside quotes and becomes several words: put double quotes around all of it`;
