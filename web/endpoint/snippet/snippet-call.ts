import { isDemanded, type RunValues } from '../run/run-values.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';

/** How the result comes: as events while the command runs, or as one JSON object when it has ended. */
export const ANSWERS = ['stream', 'json'] as const;
export type Answer = (typeof ANSWERS)[number];

/** A call as a program would make it. */
export interface SnippetCall {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly needsKey: boolean;
  readonly values: readonly (readonly [name: string, value: string])[];
  readonly answer: Answer;
}

type Called = Pick<WireEndpoint, 'url' | 'method' | 'public' | 'args'>;

/** The call that a form would make; what must be given and is not yet, and secrets, stand as `<name>`. */
export function snippetCall(endpoint: Called, values: RunValues, answer: Answer): SnippetCall {
  const given = endpoint.args.flatMap((argument): [string, string][] => {
    const { name, secret } = argument;
    const value = values.get(name);
    if (value === undefined) return isDemanded(argument) ? [[name, `<${name}>`]] : [];
    return [[name, secret ? `<${name}>` : value.toWellFormed()]];
  });
  const method = endpoint.method ?? 'POST';
  return { url: endpoint.url, method, needsKey: !endpoint.public, values: given, answer };
}

/** The URL of a call: a GET has its values in the query. */
export function calledUrl({ url, method, values }: SnippetCall): string {
  if (method === 'POST' || values.length === 0) return url;
  const query = values.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${url}?${query.join('&')}`;
}

/** Whether values go into a body. */
export function hasBody({ method, values }: SnippetCall): boolean {
  return method === 'POST' && values.length > 0;
}
