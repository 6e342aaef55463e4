import { refuse } from '../refusal.ts';

/**
 * The names and values of a query string without its `?`, in order and with repetitions (decision 9, values of a call).
 *
 * Text that is not percent-encoded UTF-8 is refused. `URLSearchParams` would replace its bytes, and the command would get a
 * value that the caller did not send.
 */
export function readQuery(query: string): [string, string][] {
  if (query === '') return [];
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0
        ? [decode(pair), '']
        : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw refuse(
      'invalid_argument',
      `"${text}" in the query: UTF-8 with %XX escapes expected, and %25 for a percent sign`,
    );
  }
}
