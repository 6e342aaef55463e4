import { needsValue, type RunValues } from '../run/run-values.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';

/** How the result arrives: as events while the command runs, or as one JSON object after its end. */
export const RESPONSE_MODES = ['stream', 'json'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** A call for a snippet. */
export interface SnippetCall {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly needsKey: boolean;
  readonly values: readonly (readonly [name: string, value: string])[];
  readonly mode: ResponseMode;
}

type Called = Pick<WireEndpoint, 'url' | 'method' | 'public' | 'args'>;

/** The call of a run form. Missing required values and secrets become the placeholder `<name>`. */
export function snippetCall(endpoint: Called, values: RunValues, mode: ResponseMode): SnippetCall {
  const given = endpoint.args.flatMap((argument): [string, string][] => {
    const { name, secret } = argument;
    const value = values.get(name);
    if (value === undefined) return needsValue(argument) ? [[name, `<${name}>`]] : [];
    return [[name, secret ? `<${name}>` : value.toWellFormed()]];
  });
  const method = endpoint.method ?? 'POST';
  return { url: endpoint.url, method, needsKey: !endpoint.public, values: given, mode };
}

/** The URL of a call; a GET carries its values in the query. */
export function calledUrl({ url, method, values }: SnippetCall): string {
  if (method === 'POST' || values.length === 0) return url;
  const query = values.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${url}?${query.join('&')}`;
}

/** Whether the call sends its values in a body. */
export function hasBody({ method, values }: SnippetCall): boolean {
  return method === 'POST' && values.length > 0;
}
