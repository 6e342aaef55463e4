import { refuse } from '@svc/core/refusal';
import { changeEndpoint, createEndpoint, deleteEndpoint } from '../../engine/endpoint/manage-endpoints.ts';
import type { EndpointVersion, RegisteredEndpoint } from '../../engine/ports/endpoints.ts';
import { waitsOfAll } from '../../engine/secret/secret-grants.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import { entityTag, ifMatch } from '../routes/entity-tag.ts';
import type { Handlers } from '../routes/handler.ts';
import type { Acting } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';
import { reply } from '../routes/reply.ts';
import { describeEndpoint, describeVersion } from './describe-endpoint.ts';

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

/** Endpoints, whether they stand in a file or were made here (reference 4.2, decision 33). */
export function endpointRoutes(context: HubContext): Routes {
  const describe = async ({ workspace: { id, username } }: Acting, registered: RegisteredEndpoint) => {
    const [waitsFor] = await waitsOfAll(context, id, [registered]);
    return describeEndpoint(context, username, registered, waitsFor);
  };
  return {
    async listEndpoints({ acting, query }) {
      const found = (await context.endpoints.list(acting.workspace.id)).filter(matching(query.search));
      const { items, next_cursor } = pageOf(found, ({ endpoint: { slug } }) => slug, query);
      const { id, username } = acting.workspace;
      const waits = await waitsOfAll(context, id, items);
      return {
        items: items.map((one, n) => describeEndpoint(context, username, one, waits[n])),
        next_cursor,
      };
    },
    async createEndpoint({ request, acting, body: { slug, name = slug, ...fields } }) {
      const created = await createEndpoint(context, who(context, request, acting), { name, ...fields });
      return reply(201, await describe(acting, created), entityTag(created));
    },
    async showEndpoint({ acting, parameters: { name } }) {
      const found = await find(context, acting, name);
      return reply(200, await describe(acting, found), entityTag(found));
    },
    async changeEndpoint({ request, acting, parameters, body: { slug, name = slug, version, ...fields } }) {
      const change = { changes: { name, ...fields }, expected: { version, ...ifMatch(request) } };
      const changed = await changeEndpoint(context, who(context, request, acting), parameters.name, change);
      return reply(200, await describe(acting, changed), entityTag(changed));
    },
    async deleteEndpoint({ request, acting, parameters: { name } }) {
      await deleteEndpoint(context, who(context, request, acting), name, ifMatch(request));
    },
    async listEndpointVersions({ acting, parameters: { name }, query }) {
      const { id } = await find(context, acting, name);
      const { items, next_cursor } = pageOf(await context.endpoints.versions(id), newestFirst, query);
      return { items: items.map(describeVersion), next_cursor };
    },
    async showExecutedDefinition({ acting: { workspace }, parameters: { id } }) {
      const execution = await context.ledger.find(id);
      const isOwn = execution?.workspaceId === workspace.id;
      const version = isOwn ? await versionOf(context, execution) : undefined;
      if (version === undefined) throw refuse('not_found', 'there is no such execution');
      return describeVersion(version);
    },
  };
}

async function find({ endpoints }: HubContext, { workspace }: Acting, name: string) {
  const found = await endpoints.find(workspace.id, name);
  if (found === undefined) throw refuse('not_found', 'there is no such endpoint');
  return found;
}

type Recorded = NonNullable<Awaited<ReturnType<HubContext['ledger']['find']>>>;

/** Records of before there were versions in them have the hash alone. */
async function versionOf(
  { endpoints }: HubContext,
  { endpointId, endpointVersion, definitionHash }: Recorded,
): Promise<EndpointVersion | undefined> {
  if (endpointVersion !== undefined) return endpoints.version(endpointId, endpointVersion);
  const versions = await endpoints.versions(endpointId);
  return versions.find((one) => one.definitionHash === definitionHash);
}

function who(context: HubContext, request: Request, { workspace, member }: Acting) {
  return { workspaceId: workspace.id, by: sourceOf(context, request, member) };
}

function matching(search: string | undefined): (registered: RegisteredEndpoint) => boolean {
  const wanted = search?.toLowerCase() ?? '';
  return ({ endpoint: { slug, description = '', command } }) =>
    [slug, description, command].some((text) => text.toLowerCase().includes(wanted));
}

function newestFirst({ version }: EndpointVersion): string {
  return String(Number.MAX_SAFE_INTEGER - version).padStart(16, '0');
}
