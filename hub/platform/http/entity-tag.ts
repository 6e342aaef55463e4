import type { ExpectedVersion } from '@svc/core/api/expected-version';

/** The headers of an answer that shows a version of something that is changed. */
export function entityTag({ version }: { readonly version: number }) {
  return { ETag: `"${version}"` };
}

/** The version that a change is for. A tag that was never given out matches no version. */
export function ifMatch({ headers }: Request): Pick<ExpectedVersion, 'ifMatch'> {
  const tag = headers.get('if-match')?.trim();
  if (tag === undefined || tag === '*') return {};
  return { ifMatch: Number(/^(?:W\/)?"(\d{1,15})"$/.exec(tag)?.[1] ?? 0) };
}
