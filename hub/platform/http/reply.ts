import type { ExpectedVersion } from '@svc/core/api/expected-version';
/** A response with its own status or headers. Other results of a handler get the success status of the row. */
export class Reply<out Status extends number, out Body> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: Status, body: Body, headers: Readonly<Record<string, string>>) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function reply<const Status extends number, const Body>(
  status: Status,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): Status extends number ? Reply<Status, Body> : never {
  return new Reply(status, body, headers) as Status extends number ? Reply<Status, Body> : never;
}

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
