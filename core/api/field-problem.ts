import type { z } from 'zod';
import { clauseOf, type ValidationIssue } from '../config/validation-issue.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { suggest } from '../suggest.ts';

/** A problem with one field of a body or a query. */
export interface FieldProblem {
  readonly path: readonly (string | number)[];
  /** A clause that continues a sentence that begins with the field: `a name expected`. */
  readonly message: string;
  /** The position inside a text value, in UTF-16 code units. */
  readonly offset?: number;
}

/** The limit of listed problems: a megabyte of empty objects would have many more, and no person reads as many. */
const MAX_LISTED_PROBLEMS = 20;
const LONGEST_NAME = 100;

/** The refusal of a request whose fields have problems: `details.fields` lists them (decision 25, errors). */
export function refuseFields(problems: readonly FieldProblem[]): Refusal {
  const fields = problems
    .slice(0, MAX_LISTED_PROBLEMS)
    .map(({ path, ...rest }) => ({ field: path.map(shownPart).join('.'), ...rest }));
  const reported = fields.map(({ field, message }) => `${field === '' ? 'the body' : field}: ${message}`);
  const more =
    problems.length > MAX_LISTED_PROBLEMS ? [`and ${problems.length - MAX_LISTED_PROBLEMS} more`] : [];
  return refuse('invalid_argument', [...reported, ...more].join('; '), { fields });
}

/** Converts an issue of a definition to a problem of a body: its message without the name of the field. */
export function problemOf(issue: ValidationIssue): FieldProblem {
  const { path, offset } = issue;
  return { path, message: clauseOf(issue), ...(offset === undefined ? {} : { offset }) };
}

/** The problems that a schema found, as sentences. `error` of a schema names what the schema accepts. */
export function fieldProblems(schema: z.ZodType, value: unknown): FieldProblem[] {
  const issues = schema.safeParse(value, { error: acceptedBy }).error?.issues ?? [];
  return issues.flatMap((issue) => {
    const path = issue.path as FieldProblem['path'];
    if (issue.code === 'unrecognized_keys') return unknownFields(schema, path, issue.keys);
    return [{ path, message: `${issue.message} expected` }];
  });
}

function shownPart(part: string | number): string {
  const text = String(part);
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text;
}

function unknownFields(
  schema: z.ZodType,
  path: FieldProblem['path'],
  keys: readonly string[],
): FieldProblem[] {
  const known = path.length === 0 && 'shape' in schema ? Object.keys(schema.shape as object) : [];
  return keys.map((key) => {
    const meant = suggest(key, known);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return { path: [...path, key], message: `there is no such field${hint}` };
  });
}

/** For schemas without an `error` of their own. */
function acceptedBy(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return ACCEPTED[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `at least ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}`;
    default:
      return 'something else';
  }
}

const ACCEPTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};
