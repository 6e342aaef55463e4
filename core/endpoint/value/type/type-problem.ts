import { jsonProblem } from '../../../api/json/json-source.ts';
import type { Argument } from '../../definition.ts';
import { schemaProblem } from '../json-schema.ts';
import { acceptedBy } from './accepted.ts';
import { readUrl } from './url.ts';

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
/** Numbers follow the grammar of JSON, the same for people, query strings and bodies. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const NO_TEXT =
  'it is a file and takes no text: send it as a file field of multipart/form-data, as curl -F name=@FILE does';

/**
 * Why a value does not have the type of its argument, as a clause that follows the argument's name; undefined: it has the
 * type. `shown` stands for the value. For a secret argument the clause contains nothing of the value.
 */
export function typeProblem(argument: Argument, value: string, shown: string): string | undefined {
  switch (argument.type) {
    case 'text':
    case 'code':
      return undefined;
    case 'list':
      throw new Error(`the items of list "${argument.name}" are checked one by one`);
    case 'json':
      return jsonProblem(value) ?? schemaProblem(argument, value);
    case 'file':
      return NO_TEXT;
    case 'word':
      return isWord(value) ? undefined : widened(argument, `${shown} is not a word`);
    case 'path':
      return clauseProblem(argument, shown, pathProblem(value));
    case 'ref':
      return clauseProblem(argument, shown, refProblem(value));
    case 'url':
      return urlProblem(argument, value, shown);
    case 'integer':
      return INTEGER.test(value) ? undefined : `${shown} is not an integer, as in 42`;
    case 'number':
      return NUMBER.test(value) ? undefined : `${shown} is not a number, as in 4.2`;
    case 'boolean':
      return value === 'true' || value === 'false' ? undefined : `${shown} is neither true nor false`;
    case 'enum': {
      const choices = argument.choices ?? [];
      return choices.includes(value) ? undefined : `${shown} is not one of ${choices.join(', ')}`;
    }
  }
}

function clauseProblem(argument: Argument, shown: string, clause: string | undefined): string | undefined {
  if (clause === undefined) return undefined;
  return widened(argument, argument.secret ? `${shown} is not a ${argument.type}` : `${shown} ${clause}`);
}

function urlProblem(argument: Argument, value: string, shown: string): string | undefined {
  const read = readUrl(value, argument);
  if (read.kind === 'url') return undefined;
  const { clause, allow } = read.problem;
  if (argument.secret) return widened(argument, `${shown} is not a URL that is accepted`);
  return widened(argument, `${shown} ${clause}`, allow);
}

/** Adds the accepted values, and the line with which the endpoint's owner can allow more. */
function widened(argument: Argument, what: string, line = 'type: text'): string {
  const owner = `the owner can allow more with "${line}" at this argument in svc.yaml`;
  return `${what}; the argument accepts ${acceptedBy(argument)}; ${owner}`;
}

/**
 * Why a value cannot be a path (decision 57, values by type), as a clause; undefined: it can. Only the agent knows where
 * the path leads.
 */
function pathProblem(value: string): string | undefined {
  if (value === '') return 'is empty';
  const [first] = value;
  return first === '-' || first === '~' ? `begins with "${first}"` : undefined;
}

/**
 * The form of a `word` (decision 57, values by type): it is never an option, a path out of a folder, or syntax of a
 * program.
 */
const WORD = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/;

/** Whether a value is a plain word. */
export function isWord(value: string): boolean {
  return WORD.test(value);
}

interface RefRule {
  readonly breaks: (value: string) => boolean;
  readonly clause: string;
}

const some = (part: (component: string) => boolean) => (value: string) => value.split('/').some(part);

/**
 * The rules of `git check-ref-format --allow-onelevel`, and two more: `:` and `+` have a meaning in a refspec (decision
 * 57, values by type).
 */
const RULES: readonly RefRule[] = [
  { breaks: (value) => value === '' || value === '@', clause: 'is no name' },
  { breaks: some((part) => part === ''), clause: 'begins or ends with "/", or holds "//"' },
  { breaks: some((part) => part.startsWith('.')), clause: 'has a part that begins with "."' },
  { breaks: some((part) => part.endsWith('.lock')), clause: 'has a part that ends with ".lock"' },
  { breaks: (value) => value.includes('..'), clause: 'holds ".."' },
  { breaks: (value) => value.endsWith('.'), clause: 'ends with "."' },
  { breaks: (value) => value.includes('@{'), clause: 'holds "@{"' },
  { breaks: (value) => /[\x00-\x20\x7f~^:?*[\\]/.test(value), clause: 'holds a character that git refuses' },
  { breaks: (value) => value.includes('+'), clause: 'holds "+"' },
  { breaks: (value) => value.startsWith('-'), clause: 'begins with "-"' },
];

/** Why a value is not the name of a git branch or tag, as a clause; undefined: it is one. */
export function refProblem(value: string): string | undefined {
  return RULES.find(({ breaks }) => breaks(value))?.clause;
}
