import type { z } from 'zod';
import type { MediaAnswer } from '../contract/answer.ts';
import type { RouteBody } from '../contract/body.ts';
import type { ParametersOf, RouteName, RouteRow } from '../routes.ts';

/** The routes that answer in JSON or without a body; streams, pages and pictures are read by other means. */
export type ClientRoute = {
  [Name in RouteName]: RouteRow<Name>['access']['kind'] extends 'agent'
    ? never
    : Extract<SuccessOf<RouteRow<Name>['answers']>, MediaAnswer> extends never
      ? Name
      : never;
}[RouteName];

type SuccessOf<Answers> = {
  [Status in keyof Answers]: `${Status & number}` extends `2${string}` ? Answers[Status] : never;
}[keyof Answers];

/** The input of a call, by the row of its route. */
export type ApiCall<Name extends ClientRoute> = PathPart<Name> &
  QueryPart<RouteRow<Name>> &
  BodyPart<RouteRow<Name>>;

type PathPart<Name extends RouteName> = [keyof ParametersOf<Name>] extends [never]
  ? unknown
  : { readonly parameters: ParametersOf<Name> };

type QueryPart<Row> = Row extends { readonly query: infer Query extends z.ZodObject }
  ? AllOptional<z.input<Query>> extends true
    ? { readonly query?: QueryValues<Query> }
    : { readonly query: QueryValues<Query> }
  : unknown;

type BodyPart<Row> = Row extends { readonly body: RouteBody<infer Schema> }
  ? AllOptional<z.input<Schema>> extends true
    ? { readonly body?: z.input<Schema> }
    : { readonly body: z.input<Schema> }
  : unknown;

/** The query values as the hub reads them, such as numbers. */
type QueryValues<Query extends z.ZodObject> = {
  readonly [Name in keyof z.input<Query>]: Name extends keyof z.output<Query> ? z.output<Query>[Name] : never;
};

type AllOptional<Value> = Partial<Value> extends Value ? true : false;
