import type { Endpoint } from '@svc/core/endpoint/definition';
import { refuse } from '@svc/core/refusal';
import {
  ENDPOINT_ACTIONS,
  type EndpointGrant,
  type Grantee,
  mayOnEndpoint,
} from '@svc/core/workspace/endpoint-rights';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import { time } from '../platform/http/json-response.ts';
import { pageOf } from '../platform/page-of-items.ts';
import {
  changeEndpointAccess,
  deleteGrant,
  type EndpointGrantDeps,
  type Granting,
  makeGrant,
} from './manage-endpoint-grants.ts';

export interface EndpointGrantRoutesDeps extends EndpointGrantDeps {
  readonly addressOf: (request: Request) => string;
  readonly endpoints: Pick<Endpoints, 'find' | 'list'>;
}

type Routes = Pick<
  Handlers,
  | 'listEndpointGrants'
  | 'makeEndpointGrant'
  | 'deleteEndpointGrant'
  | 'showEndpointAccess'
  | 'setEndpointAccess'
  | 'listEndpointHolders'
  | 'listEndpointRights'
>;

/** Grants on endpoints, for owner and admins (decision 87, rights per endpoint). */
export function endpointGrantRoutes(deps: EndpointGrantRoutesDeps): Routes {
  const { endpointGrants } = deps;
  return {
    async listEndpointGrants({ acting: { workspace }, query }) {
      const all = await endpointGrants.ofWorkspace(workspace.id);
      const { items, next_cursor } = pageOf(all, ({ id }) => id, query);
      const principals = await principalsOf(deps, workspace.id, all);
      return { items: items.map((one) => describe(one, principals)), next_cursor };
    },
    async makeEndpointGrant({ request, acting, body }) {
      const { grantee_kind: granteeKind, grantee, endpoints, can } = body;
      const wanted = { granteeKind, grantee, endpoints, can };
      const grant = await makeGrant(deps, grantingOf(deps, request, acting), wanted);
      return describe(grant, await principalsOf(deps, acting.workspace.id, [grant]));
    },
    async deleteEndpointGrant({ request, acting, parameters: { id } }) {
      await deleteGrant(deps, grantingOf(deps, request, acting), id);
    },
    async showEndpointAccess({ acting: { workspace } }) {
      return { access: await endpointGrants.access(workspace.id) };
    },
    async setEndpointAccess({ request, acting, body: { access } }) {
      await changeEndpointAccess(deps, grantingOf(deps, request, acting), access);
      return { access };
    },
    async listEndpointHolders({ acting: { workspace }, parameters: { name: slug }, query }) {
      const endpoint = (await deps.endpoints.find(workspace.id, slug))?.endpoint;
      if (endpoint === undefined) throw refuse('not_found', 'there is no such endpoint');
      const { principals, actionsOf } = await rightsIn(deps, workspace.id);
      const all = principals
        .map((who) => ({
          kind: who.kind,
          id: who.id,
          name: who.name,
          role: who.role,
          can: actionsOf(who, endpoint),
        }))
        .filter(({ can }) => can.length > 0);
      return pageOf(all, ({ kind, id }) => `${kind} ${id}`, query);
    },
    async listEndpointRights({ acting: { workspace }, parameters: { id }, query }) {
      const { principals, actionsOf } = await rightsIn(deps, workspace.id);
      const who = principals.find((one) => one.id === id);
      if (who === undefined) throw refuse('not_found', 'there is no such member or service account');
      const all = (await deps.endpoints.list(workspace.id))
        .map(({ endpoint }) => ({ endpoint: endpoint.slug, can: actionsOf(who, endpoint) }))
        .filter(({ can }) => can.length > 0);
      return pageOf(all, ({ endpoint }) => endpoint, query);
    },
  };
}

/** Who is in a workspace, and what each of them may do with an endpoint. */
async function rightsIn(deps: EndpointGrantRoutesDeps, workspaceId: string) {
  const [access, grants] = await Promise.all([
    deps.endpointGrants.access(workspaceId),
    deps.endpointGrants.ofWorkspace(workspaceId),
  ]);
  const principals = await principalsOf(deps, workspaceId, grants);
  return {
    principals,
    actionsOf: (who: Grantee, { slug, tags = [] }: Pick<Endpoint, 'slug' | 'tags'>) =>
      ENDPOINT_ACTIONS.filter((action) => mayOnEndpoint({ access, grants }, who, action, { slug, tags })),
  };
}

type Principal = Grantee & { readonly name: string };

/** The members of a workspace, and its service accounts that work. */
async function principalsOf(
  { endpointGrants, serviceAccounts }: Pick<EndpointGrantRoutesDeps, 'endpointGrants' | 'serviceAccounts'>,
  workspaceId: string,
  grants: readonly EndpointGrant[],
): Promise<readonly Principal[]> {
  const [members, accounts] = await Promise.all([
    endpointGrants.members(workspaceId, grants),
    serviceAccounts.ofWorkspace(workspaceId),
  ]);
  const working = accounts
    .filter(({ disabledAtMs }) => disabledAtMs === undefined)
    .map(({ id, name, role }) => ({ kind: 'service_account', id, name, role }) as const);
  return [...members, ...working];
}

function describe(grant: EndpointGrant, principals: readonly Principal[]) {
  const { id, granteeKind, grantee, endpoints, can, createdBy, createdAtMs } = grant;
  const found = principals.find((one) => one.kind === granteeKind && one.id === grantee);
  return {
    id,
    grantee_kind: granteeKind,
    grantee,
    name: granteeKind === 'group' ? grantee : (found?.name ?? null),
    endpoints: [...endpoints],
    can: [...can],
    created_by: createdBy,
    created_at: time(createdAtMs),
  };
}

function grantingOf(
  deps: EndpointGrantRoutesDeps,
  request: Request,
  { workspace, member, access: credential }: Acting,
): Granting {
  const by = sourceOf(deps, request, member);
  return { workspace, userId: member.userId, credential, by };
}
