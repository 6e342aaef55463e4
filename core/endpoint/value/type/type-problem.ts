import { jsonProblem } from '../../../api/json/json-source.ts';
import type { Argument } from '../../definition.ts';
import { schemaProblem } from '../json-schema.ts';
import { acceptedBy } from './accepted.ts';
import { refProblem } from './ref.ts';
import { readUrl } from './url.ts';
import { isWord } from './word.ts';

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
