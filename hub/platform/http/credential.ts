const BEARER = /^Bearer +(\S+) *$/i;

/** The token of a request: `X-API-Key`, else `Authorization: Bearer` (reference 5, decision 14). */
export function tokenOf({ headers }: Request): string | undefined {
  const key = headers.get('x-api-key');
  if (key !== null) return key.trim();
  const authorization = headers.get('authorization');
  return authorization === null ? undefined : BEARER.exec(authorization)?.[1];
}
