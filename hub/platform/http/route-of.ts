import { REST_PARAMETERS } from '@svc/core/api/contract/path-parameters';
import type { Route } from '@svc/core/api/contract/route';
import { ROUTES } from '@svc/core/api/routes';

/** Every row that matches a path, for any method. */
export function rowsAt(path: string): Route[] {
  return Object.values<Route>(ROUTES).filter((row) => matches(row.path, path));
}

/** The path template of the row that matches a request; undefined: no row matches. */
export function routeOf(method: string, path: string): string | undefined {
  return rowsAt(path).find((row) => row.method === method)?.path;
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const takesRest = REST_PARAMETERS.has(wanted.at(-1)?.slice(1, -1) ?? '');
  return (
    (takesRest ? wanted.length <= given.length : wanted.length === given.length) &&
    wanted.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  );
}
