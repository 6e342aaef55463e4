import { may, type Role } from '../workspace/permissions.ts';

/** The rights of an AI client. Approving is not among them: a client never gets it (decision 74, access for AI clients). */
export interface Scopes {
  /** The slugs that it may call; `all`: every endpoint, also those added later. */
  readonly run: 'all' | readonly string[];
  /** It may read the state and the output of every execution of the workspace, not only of its own. */
  readonly read: boolean;
}

/** The scopes that clients find in the metadata. */
export const SCOPES_SUPPORTED = ['run:*', 'read'] as const;

const RUN = 'run:';
const SLUG = /^[A-Za-z0-9_-]{1,100}$/;
const MAX_SLUGS = 200;

/**
 * Reads `run:disk run:restart read`. Unknown scopes are ignored, as RFC 6749, 3.3 allows. Without any scope a client asks for
 * `run:*`, which the user can narrow.
 */
export function readScopes(text: string | undefined): Scopes {
  const words = (text ?? '').split(' ').filter((word) => word !== '');
  const slugs = words.filter((word) => word.startsWith(RUN)).map((word) => word.slice(RUN.length));
  if (slugs.includes('*')) return { run: 'all', read: words.includes('read') };
  const run = [...new Set(slugs.filter((slug) => SLUG.test(slug)))].slice(0, MAX_SLUGS).sort();
  const read = words.includes('read');
  return run.length === 0 && !read ? { run: 'all', read: false } : { run, read };
}

/** The scopes as a text for clients and the store. */
export function scopesText({ run, read }: Scopes): string {
  return [
    ...(run === 'all' ? ['run:*'] : run.map((slug) => `${RUN}${slug}`)),
    ...(read ? ['read'] : []),
  ].join(' ');
}

/** The part of the requested scopes that the user chose: never more than the client asked for. */
export function narrowed(requested: Scopes, chosen: Scopes): Scopes {
  return { run: commonRun(requested.run, chosen.run), read: requested.read && chosen.read };
}

function commonRun(requested: Scopes['run'], chosen: Scopes['run']): Scopes['run'] {
  if (requested === 'all') return chosen;
  return chosen === 'all' ? requested : requested.filter((slug) => chosen.includes(slug));
}

/** Whether the scopes allow nothing. */
export function isEmpty({ run, read }: Scopes): boolean {
  return run !== 'all' && run.length === 0 && !read;
}

/**
 * The scopes that a client has to ask for so that it may run the endpoint, too; undefined: the grant covers it, or no grant can. The
 * result does not depend on whether there is such an endpoint.
 */
export function scopesToRun(granted: Scopes, slug: string): string | undefined {
  const { run, read } = granted;
  if (run === 'all' || run.includes(slug) || run.length >= MAX_SLUGS || !SLUG.test(slug)) return undefined;
  return scopesText({ run: [...run, slug].sort(), read });
}

/** What remains of the scopes with the present role of the user who granted them; undefined: that user is no member any more. */
export function cutByRole(scopes: Scopes, role: Role | undefined): Scopes {
  if (role === undefined) return { run: [], read: false };
  return {
    run: may(role, 'endpoint.execute') ? scopes.run : [],
    read: scopes.read && may(role, 'endpoint.view'),
  };
}
