import {
  type ClientMetadata,
  clientUrlProblem,
  readClientMetadata,
  unsupportedAuthentication,
} from '@svc/core/oauth/client-metadata';
import { refuse } from '@svc/core/refusal';
import { openJson, sealJson } from '../platform/vault/sealed-json.ts';
import type { Vault } from '../platform/world.ts';
import { DocumentError } from './fetch-document.ts';

/** Fetches the metadata document of a client; throws a `DocumentError`. */
export type FetchDocument = (url: string) => Promise<unknown>;

export interface FindClientDeps {
  readonly vault: Vault;
  readonly fetchDocument: FetchDocument;
  readonly settings: { readonly hasClientRegistration: boolean };
}

/** A program that asks for a user's authorization. */
export interface Client extends ClientMetadata {
  readonly id: string;
  /** The host that vouches for the name; undefined for a client that registered itself, which can take any name. */
  readonly host: string | undefined;
}

const REGISTERED = 'dcr_';
const OWNER = { workspaceId: '', kind: 'mcp', id: 'client registration' } as const;
/** Redirect URIs and names that make a longer id than a URL takes are refused. */
const MAX_ID_CHARS = 1_900;

/** Finds the client of a request: by its metadata document, or its registration. Throws `invalid_argument`. */
export async function findClient(deps: FindClientDeps, clientId: string): Promise<Client> {
  const client = clientId.startsWith(REGISTERED) ? openRegistration(deps, clientId) : undefined;
  if (client !== undefined) return client;
  const problem = clientUrlProblem(clientId);
  if (problem !== undefined) throw unknown(`client_id: ${problem}, where a document describes the client`);
  const document = await deps.fetchDocument(clientId).catch((error: unknown) => {
    throw error instanceof DocumentError ? unknown(`client_id: ${error.message}`) : error;
  });
  const read = readClientMetadata(document);
  if ('problem' in read) throw unknown(`the document of the client: ${read.problem}`);
  if ((document as { client_id?: unknown }).client_id !== clientId)
    throw unknown('the document of the client: its client_id is another one');
  const method = unsupportedAuthentication(document);
  if (method !== undefined)
    throw unknown(`the document of the client: ${method} is not supported, "none" is`);
  return { ...read.client, id: clientId, host: new URL(clientId).host };
}

/**
 * Registers a client (RFC 7591). The id itself contains the registration, sealed by the hub: nothing is stored, so nothing has to
 * be swept, however often programs register. Throws `invalid_argument`.
 */
export function registerClient({ vault }: Pick<FindClientDeps, 'vault'>, document: unknown): Client {
  const read = readClientMetadata(document);
  if ('problem' in read) throw refuse('invalid_argument', read.problem);
  const { client } = read;
  const id = `${REGISTERED}${sealJson(vault, client, OWNER)}`;
  if (id.length > MAX_ID_CHARS)
    throw refuse('invalid_argument', 'redirect_uris: fewer or shorter URLs expected');
  return { ...client, id, host: undefined };
}

function openRegistration({ vault, settings }: FindClientDeps, id: string): Client {
  if (!settings.hasClientRegistration) throw unknown('client_id: this hub takes no registered clients');
  const client = openJson<ClientMetadata>(vault, id.slice(REGISTERED.length), OWNER);
  if (client === undefined) throw unknown('client_id: this client did not register here');
  return { ...client, id, host: undefined };
}

function unknown(message: string) {
  return refuse('invalid_argument', message);
}
