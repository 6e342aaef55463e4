import { z } from 'zod';
import { redirectProblem } from './redirect-uri.ts';

/** The facts about a client that a user sees, and the URIs that codes may go to. */
export interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

const MAX_NAME_CHARS = 100;
const MAX_REDIRECTS = 20;

const document = z.looseObject({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECTS),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
  client_secret: z.undefined().optional(),
});

type Read = { readonly client: ClientMetadata } | { readonly problem: string };

/** Reads the metadata of RFC 7591, from a document of the client or a registration. The problem is a clause. */
export function readClientMetadata(value: unknown): Read {
  const { data, error } = document.safeParse(value);
  if (data === undefined) {
    const [issue] = error.issues;
    return {
      problem: `${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'an object expected'}`,
    };
  }
  const { grant_types: grants, response_types: types, redirect_uris: redirectUris } = data;
  for (const uri of redirectUris) {
    const problem = redirectProblem(uri);
    if (problem !== undefined) return { problem: `redirect_uris: ${problem}` };
  }
  if (grants !== undefined && !grants.includes('authorization_code'))
    return { problem: 'grant_types: authorization_code expected' };
  if (types !== undefined && !types.includes('code')) return { problem: 'response_types: code expected' };
  return { client: { name: nameOf(data.client_name), redirectUris } };
}

/** The method of clients with a secret or a key, which this server does not take; undefined: the client is a public one. */
export function unsupportedAuthentication(value: unknown): string | undefined {
  const method = (value as { readonly token_endpoint_auth_method?: unknown } | undefined)
    ?.token_endpoint_auth_method;
  return typeof method === 'string' && method !== 'none' ? method : undefined;
}

/** One line without characters that could change the text around it. */
function nameOf(name: string | undefined): string {
  const shown = (name ?? '')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_CHARS);
  return shown === '' ? 'A program' : shown;
}

/** The problem of a client id that is the URL of a metadata document, as a clause; undefined if the document may be fetched. */
export function clientUrlProblem(clientId: string): string | undefined {
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  if (url?.protocol !== 'https:') return 'a URL that begins with https:// expected';
  if (url.username !== '' || url.password !== '') return 'a URL without a user name and password expected';
  if (clientId.includes('#')) return 'a URL without a fragment expected';
  if (url.pathname === '/') return 'a URL with a path expected';
  return url.href === clientId ? undefined : 'a URL in its normal form expected';
}
