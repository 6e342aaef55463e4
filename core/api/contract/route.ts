import type { z } from 'zod';
import type { RefusalCode } from '../../refusal.ts';
import type { RouteAccess } from './access.ts';
import type { RouteAnswer } from './answer.ts';
import type { RouteBody } from './body.ts';
import type { PathParameter } from './path-parameters.ts';

/** One row of the table: everything that a program has to know to use the route, and the hub to serve it (decision 45). */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';
  /** Segments in braces take any one segment; the words are those of `PATH_PARAMETERS`. */
  readonly path: string;
  /** What it does, in a few words without a full stop. */
  readonly summary: string;
  /** What the summary does not say, in Markdown. */
  readonly description?: string;
  readonly access: RouteAccess;
  /** Absent: no query parameter is accepted. `ignored`: links and pages, to which others append what they like. */
  readonly query?: z.ZodObject | 'ignored';
  /** Request headers that it looks at, besides those of every request, and what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: what is sent is not looked at. */
  readonly body?: RouteBody;
  /** By status; the first is what the route answers when its handler does not say. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Refusals that follow from what the route does; those of access, query and body are known (`refusalsOf`). */
  readonly refusals?: readonly RefusalCode[];
  /** What a person who followed a link is told on a page, with the status of the refusal. */
  readonly refusesOn?: 'page';
}

/** The words between the braces of a path. */
export type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersIn<Rest>
  : never;

/** The rows of one area; a word in braces that `PATH_PARAMETERS` does not have is found by `parametersOf`. */
export type Routes = Readonly<Record<string, Route>>;

/** The words between the braces of a path, in order. */
export function parametersOf(path: string): PathParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PathParameter);
}

/** What the handler of a row is given as `query`. */
export type QueryOf<Row> = Row extends { readonly query: infer Query extends z.ZodObject }
  ? z.output<Query>
  : Readonly<Record<string, never>>;

/** What the handler of a row is given as `body`. */
export type BodyOf<Row> = Row extends { readonly body: RouteBody<infer Schema> }
  ? z.output<Schema>
  : undefined;
