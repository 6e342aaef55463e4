import type { z } from 'zod';
import { refuse } from '../../refusal.ts';
import { announcesBody, readJsonText, type ValueRequest } from '../call-values.ts';
import { type FieldProblem, fieldProblems, refuseFields } from '../field-problem.ts';
import { readJson } from '../json/read-json.ts';
import { readQuery } from '../query.ts';
import type { RouteBody } from './body.ts';
import { PATH_PARAMETERS } from './path-parameters.ts';
import { parametersOf, type Route } from './route.ts';

/** The parameters of a path for the handler. Refuses invalid ones with `not_found`. */
export function readParameters(
  { path }: Route,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const read = parametersOf(path).map(
    (name) => [name, PATH_PARAMETERS[name].safeParse(given[name])] as const,
  );
  if (!read.every(([, parsed]) => parsed.success)) throw refuse('not_found', 'nothing is here');
  return Object.fromEntries(read.map(([name, { data }]) => [name, data as string]));
}

/** The query for the handler; `text` is without its `?`. Each parameter may appear once. */
export function readRouteQuery({ query }: Route, text: string): Readonly<Record<string, unknown>> {
  if (query === 'ignored') return {};
  const pairs = readQuery(text);
  const problems = pairs.flatMap(([name, value], index) => pairProblems(name, value, pairs.slice(0, index)));
  if (problems.length > 0) throw refuseFields(problems);
  const values = Object.fromEntries(pairs);
  if (query !== undefined) return parsed(query, values);
  const unknown = Object.keys(values).map((name) => ({
    path: [name],
    message: 'there is no such parameter',
  }));
  if (unknown.length > 0) throw refuseFields(unknown);
  return {};
}

/** The body for the handler; undefined if the row has none. */
export async function readRouteBody({ body }: Route, request: ValueRequest): Promise<unknown> {
  if (body === undefined) return undefined;
  if (!announcesBody(request)) {
    if (body.isRequired) throw refuseFields([{ path: [], message: 'a JSON object expected' }]);
    return parsed(body.schema, {});
  }
  return parsed(body.schema, readJson(await readJsonText(request)), body.problemsBeyond);
}

function pairProblems(name: string, value: string, before: readonly [string, string][]): FieldProblem[] {
  if (before.some(([other]) => other === name))
    return [{ path: [name], message: 'it is given twice; give it once' }];
  return `${name}${value}`.includes('\0') ? [{ path: [name], message: 'text without NUL expected' }] : [];
}

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  problemsBeyond: RouteBody['problemsBeyond'] = () => [],
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw refuseFields([...fieldProblems(schema, value), ...problemsBeyond(value)]);
}
