import type { z } from 'zod';
import type { RefusalCode } from '../../refusal.ts';
import type { RouteAccess } from './access.ts';
import type { RouteAnswer } from './answer.ts';
import type { RouteBody } from './body.ts';
import type { PathParameter } from './path-parameters.ts';

/** One row of the table: everything that a client and the hub need for the route (decision 45, the table of routes). */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';
  /** A segment in braces matches any one segment; its names are those of `PATH_PARAMETERS`. */
  readonly path: string;
  /** A summary in a few words, without a full stop. */
  readonly summary: string;
  /** More than the summary, in Markdown. */
  readonly description?: string;
  readonly access: RouteAccess;
  /** Absent: no query parameter is accepted. `ignored`: for links and pages, to which other programs append parameters. */
  readonly query?: z.ZodObject | 'ignored';
  /** The request headers of this route, besides those of every request, with descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: the body is ignored. */
  readonly body?: RouteBody;
  /** Instead of `body`: the fields of a form (`multipart/form-data`) in Markdown. The handler reads the form. */
  readonly form?: string;
  /** Instead of `body`: a JSON document of SCIM in Markdown. The handler reads the document. */
  readonly scimDocument?: string;
  /**
   * A long success is compressed for clients that accept it, unless the query has the parameter `notWith`. Only for answers without
   * secret values: beside text that an attacker chooses, the length of a compressed answer could give them away (BREACH).
   */
  readonly compression?: { readonly notWith: string };
  /** By status; the first is the default. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** The refusals of the use case; those of access, query and body are added (`refusalsOf`). */
  readonly refusals?: readonly RefusalCode[];
  /**
   * `page`: refusals are pages for people who followed a link, with the status of the refusal. `scim`: they have the shape of RFC 7644,
   * section 3.12.
   */
  readonly refusesOn?: 'page' | 'scim';
}

/** The words between the braces of a path. */
export type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersIn<Rest>
  : never;

/** The rows of one area. `parametersOf` finds parameters that `PATH_PARAMETERS` lacks. */
export type Routes = Readonly<Record<string, Route>>;

/** The words between the braces of a path, in order. */
export function parametersOf(path: string): PathParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PathParameter);
}

/** The type of `query` for the handler of a row. */
export type QueryOf<Row> = Row extends { readonly query: infer Query extends z.ZodObject }
  ? z.output<Query>
  : Readonly<Record<string, never>>;

/** The type of `body` for the handler of a row. */
export type BodyOf<Row> = Row extends { readonly body: RouteBody<infer Schema> }
  ? z.output<Schema>
  : undefined;
