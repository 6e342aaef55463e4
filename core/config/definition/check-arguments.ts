import { collidingNames } from '../../endpoint/argument-name.ts';
import type { Argument, ArgumentType, DeclaredArgument } from '../../endpoint/definition.ts';
import {
  checkArgumentDefinition,
  type DefinitionProblem,
  defaultProblem,
} from '../../endpoint/value/check-argument.ts';
import { atValue, type Path, type ValidationIssue } from '../finding.ts';
import { present } from './present.ts';
import { type ArgumentDefinition, argumentSchema } from './schema.ts';
import { isMapping, soundParts } from './sound-parts.ts';
import { type TextAt, writtenText } from './written-text.ts';

/** The arguments of an endpoint, each where it stands in the list; undefined for one without a usable name. */
export interface CheckedArguments {
  readonly args: readonly (DeclaredArgument | undefined)[];
  readonly findings: readonly ValidationIssue[];
}

/** The keys that are judged together: with one of them misshapen, nothing can be said about the others. */
const JUDGED_TOGETHER = [
  'type',
  'choices',
  'default',
  'pattern',
  'max_length',
  'root',
  'schemes',
  'hosts',
] as const;

/** Checks what the shape alone does not show about the list `args`, whose items are at `path`. */
export function checkArguments(list: unknown, path: Path, textAt: TextAt): CheckedArguments {
  if (!Array.isArray(list)) return { args: [], findings: [] };
  const args = list.map((item, index) => readArgument(item, [...path, index], textAt));
  const findings = args.flatMap((argument, index) =>
    argument && isJudgeable(list[index])
      ? atKeys(argument.name, checkArgumentDefinition(argument), [...path, index])
      : [],
  );
  return { args, findings: [...findings, ...collisionFindings(args, path)] };
}

/** Checks the defaults of the arguments whose type the compiler chose; the others were checked by `checkArguments`. */
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
  const { name, max_length, allow_dash, default: absent, ...parts } = soundParts(argumentSchema, item);
  if (name === undefined) return undefined;
  return {
    name,
    required: parts.required ?? false,
    type: declaredType(parts),
    secret: parts.secret ?? false,
    allowDash: allow_dash ?? false,
    ...present({
      description: parts.description,
      pattern: parts.pattern,
      root: parts.root,
      schemes: parts.schemes,
      hosts: parts.hosts,
      maxLength: max_length,
      choices: parts.choices?.map((choice, index) =>
        writtenText(choice, [...path, 'choices', index], textAt),
      ),
      default: absent === undefined ? undefined : writtenText(absent, [...path, 'default'], textAt),
    }),
  };
}

/** What the owner says that a value is. A pattern is the owner's word on what a value may be: nothing is left to infer (decision 57). */
function declaredType({ type, choices, pattern }: Partial<ArgumentDefinition>): ArgumentType | undefined {
  if (type !== undefined && type !== 'string') return type;
  if (choices !== undefined) return 'enum';
  return pattern === undefined ? undefined : 'text';
}

function isJudgeable(item: unknown): boolean {
  const sound = soundParts(argumentSchema, item);
  return isMapping(item) && JUDGED_TOGETHER.every((key) => !Object.hasOwn(item, key) || key in sound);
}

/** The keys that have another name in a file than in an `Argument`. */
const WIRE_KEYS: Readonly<Partial<Record<keyof Argument, string>>> = { maxLength: 'max_length' };

function atKeys(name: string, problems: readonly DefinitionProblem[], path: Path): ValidationIssue[] {
  return problems.map(({ key, message, offset }) =>
    atValue([...path, WIRE_KEYS[key] ?? key], `argument "${name}": ${message}`, offset),
  );
}

function collisionFindings(args: readonly (DeclaredArgument | undefined)[], path: Path): ValidationIssue[] {
  const names = args.map((argument) => argument?.name);
  let index = 0;
  return collidingNames(names.filter((name) => name !== undefined)).map(({ first, second, variable }) => {
    index = names.indexOf(second, Math.max(index, names.indexOf(first)) + 1);
    const why = first === second ? 'stands twice' : `and "${first}" both become the variable ${variable}`;
    return atValue([...path, index, 'name'], `argument "${second}" ${why}`);
  });
}
