import type { RouteQuery } from '@svc/core/api/routes';
import { refuseBeyondGrant } from '@svc/core/endpoint/managed/edit-by-grant';
import { refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { AlertRules } from '../alerts/store/alert-rules.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type Principal, seesSlug } from '../http/principal.ts';
import { entityTag, ifMatch, reply } from '../platform/http/reply.ts';
import { pageOf } from '../platform/page-of-items.ts';
import { waitsOfAll } from '../secret-grants/list-grants.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { type DescribeEndpointDeps, describeEndpoint, describeVersion } from './describe-endpoint.ts';
import type { EndpointVersion, RegisteredEndpoint } from './endpoint-ports.ts';
import { changeEndpoint, createEndpoint, deleteEndpoint, type EndpointDeps } from './manage-endpoints.ts';

export interface EndpointRoutesDeps extends DescribeEndpointDeps, EndpointDeps {
  readonly addressOf: (request: Request) => string;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
  readonly alertRules: AlertRules;
  readonly ledger: ExecutionLedger;
  readonly secrets: Secrets;
}

type Routes = Pick<
  Handlers,
  | 'listEndpoints'
  | 'createEndpoint'
  | 'showEndpoint'
  | 'changeEndpoint'
  | 'deleteEndpoint'
  | 'listEndpointVersions'
  | 'showExecutedDefinition'
>;

/** Endpoints from files and from the API (reference 4.2, decision 33, the file is the source of its endpoints). */
export function endpointRoutes(deps: EndpointRoutesDeps): Routes {
  const describe = async ({ workspace }: Principal, registered: RegisteredEndpoint) => {
    const [waitsFor] = await waitsOfAll(deps, workspace.id, [registered]);
    return describeEndpoint(deps, workspace, registered, waitsFor);
  };
  return {
    async listEndpoints({ acting, query }) {
      const found = (await deps.endpoints.list(acting.workspace.id)).filter(
        (one) => seesSlug(acting, one.endpoint.slug) && matching(query)(one),
      );
      const { items, next_cursor } = pageOf(found, ({ endpoint: { slug } }) => slug, query);
      const { workspace } = acting;
      const waits = await waitsOfAll(deps, workspace.id, items);
      return {
        items: items.map((one, n) => describeEndpoint(deps, workspace, one, waits[n])),
        next_cursor,
      };
    },
    async createEndpoint({ request, acting, body: { slug, name = slug, ...fields } }) {
      const created = await createEndpoint(deps, who(deps, request, acting), { name, ...fields });
      return reply(201, await describe(acting, created), entityTag(created));
    },
    async showEndpoint({ acting, parameters: { name } }) {
      const found = await find(deps, acting, name);
      return reply(200, await describe(acting, found), entityTag(found));
    },
    async changeEndpoint({ request, acting, parameters, body: { slug, name = slug, version, ...fields } }) {
      await refuseEdit(deps, acting, parameters.name, { ...fields, name });
      const change = {
        changes: { name, ...fields },
        expected: { version, ...ifMatch(request) },
        refuseBeyond: may(acting.member.role, 'endpoint.edit') ? undefined : refuseBeyondGrant,
      };
      const changed = await changeEndpoint(deps, who(deps, request, acting), parameters.name, change);
      return reply(200, await describe(acting, changed), entityTag(changed));
    },
    async deleteEndpoint({ request, acting, parameters: { name } }) {
      await deleteEndpoint(deps, who(deps, request, acting), name, ifMatch(request));
    },
    async listEndpointVersions({ acting, parameters: { name }, query }) {
      const { id } = await find(deps, acting, name);
      const { items, next_cursor } = pageOf(await deps.endpoints.versions(id), newestFirst, query);
      return { items: items.map(describeVersion), next_cursor };
    },
    async showExecutedDefinition({ acting, parameters: { id } }) {
      const execution = await deps.ledger.find(id);
      const isOwn = execution?.workspaceId === acting.workspace.id && seesSlug(acting, execution.slug);
      const version = isOwn ? await versionOf(deps, execution) : undefined;
      if (version === undefined) throw refuse('not_found', 'there is no such execution');
      return describeVersion(version);
    },
  };
}

/** The fields that decide who may use an endpoint. Only the role changes them, and no grant does. */
const OF_RIGHTS = ['name', 'tags', 'public'] as const;

/** Refuses a change by a principal whom neither role nor grant lets edit the endpoint (decision 87, rights per endpoint). */
async function refuseEdit(
  deps: EndpointRoutesDeps,
  acting: Principal,
  name: string,
  fields: Readonly<Partial<Record<(typeof OF_RIGHTS)[number], unknown>>>,
): Promise<void> {
  if (may(acting.member.role, 'endpoint.edit')) return;
  await find(deps, acting, name);
  if (acting.rights?.may('edit', name) !== true)
    throw refuse('forbidden', `no grant lets you edit "${name}"`);
  const field = OF_RIGHTS.find(
    (one) => fields[one] !== undefined && !(one === 'name' && fields.name === name),
  );
  if (field !== undefined)
    throw refuse('forbidden', `"${field}" decides who may use the endpoint: an owner or admin changes it`);
}

async function find({ endpoints }: EndpointRoutesDeps, acting: Principal, name: string) {
  const found = await endpoints.find(acting.workspace.id, name);
  if (found === undefined || !seesSlug(acting, name)) throw refuse('not_found', 'there is no such endpoint');
  return found;
}

type Recorded = NonNullable<Awaited<ReturnType<EndpointRoutesDeps['ledger']['find']>>>;

/** Old records contain only the hash, and no version. */
async function versionOf(
  { endpoints }: EndpointRoutesDeps,
  { endpointId, endpointVersion, definitionHash }: Recorded,
): Promise<EndpointVersion | undefined> {
  if (endpointVersion !== undefined) return endpoints.version(endpointId, endpointVersion);
  const versions = await endpoints.versions(endpointId);
  return versions.find((one) => one.definitionHash === definitionHash);
}

function who(deps: EndpointRoutesDeps, request: Request, { workspace, member }: Principal) {
  return { workspaceId: workspace.id, by: sourceOf(deps, request, member) };
}

function matching({ search, tag }: RouteQuery<'listEndpoints'>): (registered: RegisteredEndpoint) => boolean {
  const wanted = search?.toLowerCase() ?? '';
  return ({ endpoint: { slug, description = '', command, tags = [] } }) =>
    (tag === undefined || tags.includes(tag)) &&
    [slug, description, command].some((text) => text.toLowerCase().includes(wanted));
}

function newestFirst({ version }: EndpointVersion): string {
  return String(Number.MAX_SAFE_INTEGER - version).padStart(16, '0');
}
