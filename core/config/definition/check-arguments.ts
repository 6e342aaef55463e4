import { collidingNames } from '../../endpoint/argument-name.ts';
import type { Argument, DeclaredArgument } from '../../endpoint/definition.ts';
import {
  checkArgumentDefinition,
  type DefinitionProblem,
  defaultProblem,
} from '../../endpoint/value/check-argument.ts';
import { atValue, type Path, type ValidationIssue } from '../validation-issue.ts';
import { argumentSchema } from './argument-schema.ts';
import { argumentKey, decodeArgument } from './endpoint-codec.ts';
import { isMapping, soundParts } from './sound-parts.ts';
import type { TextAt } from './written-text.ts';

/** The arguments of an endpoint, at their positions in the list; undefined for one without a usable name. */
export interface CheckedArguments {
  readonly args: readonly (DeclaredArgument | undefined)[];
  readonly issues: readonly ValidationIssue[];
}

/** The keys that are checked together. If one of them has a wrong shape, the others are not checked. */
const JUDGED_TOGETHER = [
  'type',
  'choices',
  'default',
  'pattern',
  'max_length',
  'root',
  'schemes',
  'hosts',
  'items',
  'each',
  'max_items',
  'schema',
  'choices_from',
  'choices_args',
  'choices_ttl',
  'choices_check',
] as const;

/** Checks the list `args` beyond its shape. Its items are at `path`. */
export function checkArguments(list: unknown, path: Path, textAt: TextAt): CheckedArguments {
  if (!Array.isArray(list)) return { args: [], issues: [] };
  const args = list.map((item, index) => readArgument(item, [...path, index], textAt));
  const issues = args.flatMap((argument, index) =>
    argument && isJudgeable(list[index])
      ? atKeys(
          argument.name,
          [...listDefaultProblem(argument, list[index]), ...checkArgumentDefinition(argument)],
          [...path, index],
        )
      : [],
  );
  return { args, issues: [...issues, ...collisionIssues(args, path)] };
}

/** Checks the defaults of arguments whose type the compiler chose. `checkArguments` checked the others. */
export function inferredDefaultIssues(
  list: unknown,
  args: readonly (Argument | undefined)[],
  path: Path,
): ValidationIssue[] {
  return args.flatMap((argument, index) =>
    argument?.inferred && Array.isArray(list) && isJudgeable(list[index])
      ? atKeys(argument.name, defaultProblem(argument), [...path, index])
      : [],
  );
}

function readArgument(item: unknown, path: Path, textAt: TextAt): DeclaredArgument | undefined {
  const parts = soundParts(argumentSchema, item);
  return parts.name === undefined ? undefined : decodeArgument(parts, parts.name, path, textAt);
}

function listDefaultProblem({ type }: DeclaredArgument, item: unknown): DefinitionProblem[] {
  const isList = isMapping(item) && Array.isArray(item.default);
  return isList && type !== 'list'
    ? [{ key: 'default', message: 'a list is a default for "type: list"' }]
    : [];
}

function isJudgeable(item: unknown): boolean {
  const sound = soundParts(argumentSchema, item);
  return isMapping(item) && JUDGED_TOGETHER.every((key) => !Object.hasOwn(item, key) || key in sound);
}

function atKeys(name: string, problems: readonly DefinitionProblem[], path: Path): ValidationIssue[] {
  return problems.map(({ key, message, offset }) =>
    atValue([...path, argumentKey(key)], `argument "${name}": ${message}`, offset),
  );
}

function collisionIssues(args: readonly (DeclaredArgument | undefined)[], path: Path): ValidationIssue[] {
  const names = args.map((argument) => argument?.name);
  let index = 0;
  return collidingNames(names.filter((name) => name !== undefined)).map(({ first, second, variable }) => {
    index = names.indexOf(second, Math.max(index, names.indexOf(first)) + 1);
    const why = first === second ? 'stands twice' : `and "${first}" both become the variable ${variable}`;
    return atValue([...path, index, 'name'], `argument "${second}" ${why}`);
  });
}
