import { walkDeclaration, walkSet } from './declaration.ts';
import { walkFind } from './find-command.ts';
import { walkNumbers } from './numbers.ts';
import { allCode, grammar, named, type Rule } from './rule.ts';
import { walkTest } from './test-command.ts';

const inScript = allCode(
  (variable) => `move this into a script and read ${variable} from its environment there`,
);

/** What shells do with the words of their own commands (decision 7). */
export const BUILTINS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...named('eval . source trap alias let coproc', inScript),
  // bash evaluates a subscript in the name of a variable: `unset 'a[$(id)]'` runs id.
  ...named('read unset mapfile readarray getopts', inScript),
  ...named('bind compgen complete compopt enable fc history', inScript),
  ...named('exit return shift break continue ulimit', { kind: 'special', walk: walkNumbers }),
  ['wait', grammar({ code: '-p', flags: '-n -f', rest: 'arguments' })],
  ['printf', grammar({ code: '-v', operands: 1, rest: 'arguments' })],
  ...named('export readonly local declare typeset', { kind: 'special', walk: walkDeclaration }),
  ['set', { kind: 'special', walk: walkSet }],
  ...named('test [', { kind: 'special', walk: walkTest }),
  ...named('find gfind', { kind: 'special', walk: walkFind }),
  // Behind `time` and the like these begin what only some shells know as a compound command.
  ...named('! { } [[ -- - if then else elif fi for while until do done case esac select function', inScript),
]);
