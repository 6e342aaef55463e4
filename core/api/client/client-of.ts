import type { ResultOf } from '../contract/answer.ts';
import { parametersOf, type Route } from '../contract/route.ts';
import type { RouteRow } from '../routes.ts';
import type { ApiCall, ClientRoute } from './api-call.ts';
import { readApiError } from './api-error.ts';

/** A request of the client. The sender adds the address of the service and the credential. */
export interface ApiRequest {
  readonly method: string;
  /** The path from the first slash on, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The parts of an answer that the client uses; a `Response` of fetch has them. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export type Send = (request: ApiRequest) => Promise<ApiResponse>;

/** One method for each route that answers in JSON, by name. All throw an `ApiError` if the service refuses. */
export type ApiClient = {
  readonly [Name in ClientRoute]: (
    ...call: unknown extends ApiCall<Name>
      ? []
      : Record<never, never> extends ApiCall<Name>
        ? [call?: ApiCall<Name>]
        : [call: ApiCall<Name>]
  ) => Promise<ResultOf<RouteRow<Name>>>;
};

/** The address of a route: all that a client needs of its row at run time. */
export type RouteLine = Pick<Route, 'method' | 'path'>;

/** A client of the API for these routes; `send` is its only I/O. */
export function clientOf(lines: Readonly<Record<string, RouteLine>>, send: Send): ApiClient {
  const methods = Object.entries(lines).map(([name, line]) => [
    name,
    async (call: AnyCall = {}) => resultOf(await send(requestOf(line, call))),
  ]);
  return Object.fromEntries(methods) as ApiClient;
}

/** The path of a request, with its parameters and its query. */
export function addressOf({ path }: RouteLine, { parameters = {}, query = {} }: AnyCall = {}): string {
  const filled = parametersOf(path).reduce(
    (text, name) => text.replace(`{${name}}`, () => encodeURIComponent(parameters[name] ?? '')),
    path,
  );
  return filled + queryText(query);
}

interface AnyCall {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

function requestOf(line: RouteLine, call: AnyCall): ApiRequest {
  const json = call.body === undefined ? undefined : JSON.stringify(call.body);
  return {
    method: line.method,
    path: addressOf(line, call),
    headers: {
      Accept: 'application/json',
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: json,
  };
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

async function resultOf(response: ApiResponse): Promise<unknown> {
  const text = await response.text();
  const { status, headers } = response;
  if (status >= 200 && status < 300) return text === '' ? undefined : JSON.parse(text);
  throw readApiError(status, text, (name) => headers.get(name));
}
