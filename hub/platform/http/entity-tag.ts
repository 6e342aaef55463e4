import type { ExpectedVersion } from '@svc/core/api/expected-version';

/** The headers of a response with a versioned resource. */
export function entityTag({ version }: { readonly version: number }) {
  return { ETag: `"${version}"` };
}

/** The version in `If-Match`. An unknown tag matches no version. */
export function ifMatch({ headers }: Request): Pick<ExpectedVersion, 'ifMatch'> {
  const tag = headers.get('if-match')?.trim();
  if (tag === undefined || tag === '*') return {};
  return { ifMatch: Number(/^(?:W\/)?"(\d{1,15})"$/.exec(tag)?.[1] ?? 0) };
}
