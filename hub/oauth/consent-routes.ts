import { requestTarget } from '@svc/core/api/request-target';
import { toolOfPipeline } from '@svc/core/mcp/pipeline-tool';
import { readAuthorizationRequest } from '@svc/core/oauth/authorization-request';
import { isRegistered, withParameters } from '@svc/core/oauth/redirect-uri';
import { isEmpty, narrowed, type Scopes } from '@svc/core/oauth/scopes';
import { refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { isNamed } from '@svc/core/workspace/username';
import type { Workspace } from '../accounts/account-ports.ts';
import { limitSignIns } from '../accounts/sign-in.ts';
import { signInPage } from '../accounts/sign-in-routes.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type Acting, acting, type IdentityDeps, openWorkspaces } from '../http/identity.ts';
import { seesSlug } from '../http/principal.ts';
import { refuseForeignForm } from '../http/same-site.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import { seeOther } from '../platform/http/see-other.ts';
import { onPage, readPageForm } from '../platform/pages/page.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import { openJson, sealJson } from '../platform/vault/sealed-json.ts';
import type { Random, Vault } from '../platform/world.ts';
import { consentPage, type ListedEndpoint } from './consent-page.ts';
import { type FindClientDeps, findClient } from './find-client.ts';
import { type Consent, denyAccess, grantAccess } from './grant-access.ts';
import type { Grants } from './store/grant-store.ts';

export interface ConsentRoutesDeps extends IdentityDeps {
  readonly addressOf: (request: Request) => string;
  readonly endpoints: Pick<Endpoints, 'list'>;
  readonly pipelines: Pick<Pipelines, 'list'>;
  readonly grants: Grants;
  readonly limiter: RateLimiter;
  readonly random: Random;
  readonly vault: Vault;
}

const TITLE = 'Cannot allow this program';
const LISTED_ENDPOINTS = 200;

/** The page on which a user allows an AI client (decision 74, access for AI clients). */
export function consentRoutes(
  deps: ConsentRoutesDeps,
  clients: FindClientDeps,
): Pick<Handlers, 'showConsent' | 'decideConsent'> {
  const { hubUrl } = deps.settings;
  return {
    showConsent: ({ request }) =>
      onPage(TITLE, async () => {
        const { path, query } = requestTarget(request.url);
        const pairs = [...new URLSearchParams(query)];
        const chosen = pairs.find(([name]) => name === 'workspace')?.[1];
        const read = readAuthorizationRequest(hubUrl, pairs);
        if ('problem' in read)
          throw refuse('invalid_argument', `the program asked in a wrong way: ${read.problem}`);
        const user = await acting(deps, request, ['session']);
        // Before the client is looked up: the hub fetches documents only for signed-in users.
        if (user === undefined) return signInPage(deps.settings, `${path}?${query}`);
        limitSignIns(deps, `consent user:${user.userId}`);
        const asked = read.request;
        const client = await findClient(clients, asked.clientId);
        if (!isRegistered(asked.redirectUri, client.redirectUris))
          throw refuse('invalid_argument', 'redirect_uri: one of those of the client expected');
        const workspaces = await workspacesOf(deps, user, asked.resource.username);
        const workspace = workspaces.find(({ id }) => id === chosen) ?? likely(workspaces);
        if (workspace === undefined) throw noSuchWorkspace();
        const { clientId, redirectUri, state, codeChallenge, scopes, resource } = asked;
        const ticket = sealTicket(deps, user, {
          ...{ clientId, clientName: client.name, redirectUri, state, codeChallenge, scopes },
          ...{ resource: resource.uri, username: resource.username },
          validUntilMs: deps.clock.nowMs() + TICKET_MS,
        });
        return consentPage({
          ...{ hubUrl, client, redirectUri, scopes, ticket, workspace, workspaces },
          email: user.member.email,
          pathForWorkspace: `${path}?${new URLSearchParams(pairs.filter(([name]) => name !== 'workspace'))}&workspace=`,
          endpoints: await listed(deps, user, workspace, scopes),
        });
      }),
    decideConsent: ({ request }) =>
      onPage(TITLE, async () => {
        refuseForeignForm(request, hubUrl);
        const user = await acting(deps, request, ['session']);
        if (user === undefined) throw refuse('unauthorized', 'you are no longer signed in');
        const form = await readPageForm(request);
        const ticket = openTicket(deps, user, form.get('ticket') ?? '');
        const workspaces = await workspacesOf(deps, user, ticket.username);
        const workspace = workspaces.find(({ id }) => id === form.get('workspace'));
        if (workspace === undefined) throw noSuchWorkspace();
        return await decide(deps, request, user, { ticket, workspace, form });
      }),
  };
}

interface Decided {
  readonly ticket: Ticket;
  readonly workspace: Workspace;
  readonly form: URLSearchParams;
}

async function decide(
  deps: ConsentRoutesDeps,
  request: Request,
  { userId, member }: Acting,
  { ticket, workspace, form }: Decided,
): Promise<Response> {
  const { username: _, validUntilMs: __, state, scopes: requested, ...asked } = ticket;
  const by = sourceOf(deps, request, { userId, email: member.email });
  const consent = { ...asked, userId, workspaceId: workspace.id };
  const iss = deps.settings.hubUrl;
  switch (form.get('decision')) {
    case 'deny':
      await denyAccess(deps, consent, by);
      return seeOther(withParameters(ticket.redirectUri, { error: 'access_denied', state, iss }));
    case 'allow': {
      const scopes = narrowed(requested, chosenScopes(form));
      if (isEmpty(scopes)) throw refuse('invalid_argument', 'choose what the program may do, or refuse it');
      const granted: Consent = { ...consent, scopes };
      const code = await grantAccess(deps, granted, by);
      return seeOther(withParameters(ticket.redirectUri, { code, state, iss }));
    }
    default:
      throw refuse('invalid_argument', 'the form says neither yes nor no');
  }
}

function chosenScopes(form: URLSearchParams): Scopes {
  const slugs = form.getAll('run');
  const read = form.get('read') === '1';
  return slugs.includes('*') ? { run: 'all', read } : { run: [...new Set(slugs)].sort(), read };
}

/** The endpoints and pipelines that the client asks for, that may be tools, and that the user may view. */
async function listed(
  { accounts, endpoints, lookups, pipelines }: ConsentRoutesDeps,
  { userId }: Acting,
  { id }: Workspace,
  { run }: Scopes,
): Promise<ListedEndpoint[]> {
  const [all, registered, member, ofWorkspace] = await Promise.all([
    endpoints.list(id),
    pipelines.list(id),
    accounts.member(id, userId),
    lookups.rights(id),
  ]);
  if (member === undefined) return [];
  const rights = ofWorkspace.of({ kind: 'member', id: userId, role: member.role });
  const bySlug = new Map(all.map(({ endpoint }) => [endpoint.slug, endpoint]));
  return [
    ...all
      .filter(({ endpoint: { mcp } }) => mcp !== false)
      .map(({ endpoint: { slug, description, approvalRequired } }) => ({
        ...{ slug, description, needsApproval: approvalRequired },
      })),
    ...registered
      .filter(({ pipeline }) => toolOfPipeline(pipeline, bySlug) !== undefined)
      .map(({ pipeline: { slug, description, nodes } }) => ({
        ...{ slug, description },
        needsApproval: nodes.some(
          (node) => node.kind === 'step' && bySlug.get(node.endpoint)?.approvalRequired === true,
        ),
      })),
  ]
    .filter(({ slug }) => (run === 'all' || run.includes(slug)) && seesSlug({ rights }, slug))
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
    .slice(0, LISTED_ENDPOINTS);
}

/** The workspaces in which the user may run anything; only the named one if the client asks for it. */
async function workspacesOf(
  deps: ConsentRoutesDeps,
  user: Acting,
  username: string | undefined,
): Promise<Workspace[]> {
  return (await openWorkspaces(deps, user))
    .filter(({ role }) => may(role, 'endpoint.execute'))
    .map(({ workspace }) => workspace)
    .filter((workspace) => username === undefined || isNamed(workspace, username));
}

/** A user whose own workspace has no username has never used it, so a team comes first. */
function likely(workspaces: readonly Workspace[]): Workspace | undefined {
  return workspaces.find(({ username }) => username !== undefined) ?? workspaces[0];
}

function noSuchWorkspace() {
  return refuse('not_found', 'there is no such workspace, or you are no member of it');
}

/** The facts of a request that the page has shown. */
interface Ticket extends Omit<Consent, 'userId' | 'workspaceId'> {
  readonly state: string | undefined;
  /** The workspace that the client asks for; undefined: the user chooses. */
  readonly username: string | undefined;
  readonly validUntilMs: number;
}

const TICKET_MS = 10 * 60 * 1000;

/** Sealed for one session: a form made for another user, or by another site, does not open (RFC 9700, 4.7). */
function sealTicket({ vault }: ConsentRoutesDeps, user: Acting, ticket: Ticket): string {
  return sealJson(vault, ticket, ownerOf(user));
}

function openTicket({ vault, clock }: ConsentRoutesDeps, user: Acting, text: string): Ticket {
  const ticket = openJson<Ticket>(vault, text, ownerOf(user));
  if (ticket !== undefined && clock.nowMs() <= ticket.validUntilMs) return ticket;
  throw refuse(
    'forbidden',
    'this form is too old, or was made for somebody else: begin again in the program',
  );
}

function ownerOf({ access }: Acting) {
  return { workspaceId: '', kind: 'mcp', id: `consent ${access.id}` } as const;
}
