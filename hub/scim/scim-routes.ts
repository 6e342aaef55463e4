import { announcesBody, readScimText } from '@svc/core/api/call-values';
import { readJson } from '@svc/core/api/json/read-json';
import type { Plan } from '@svc/core/plan/plans';
import {
  listResponse,
  MAX_RESOURCES,
  resourceTypes,
  schemas,
  serviceProviderConfig,
} from '@svc/core/scim/discovery';
import { type FilterComparison, readFilter } from '@svc/core/scim/filter';
import { GROUP_SCHEMA, patchGroup, readGroup } from '@svc/core/scim/group';
import { patchUser, readPatch } from '@svc/core/scim/patch';
import { hasAttribute, type Projection, projected } from '@svc/core/scim/projection';
import { refuseScim } from '@svc/core/scim/scim-error';
import { readUser, USER_SCHEMA, userDocument } from '@svc/core/scim/user';
import { originOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { SCIM_TYPE } from '../http/scim-error-response.ts';
import { time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import { addGroup, changeGroup, noSuchGroup, removeScimGroup } from './provision-group.ts';
import {
  addUser,
  changeUser,
  isMember,
  noSuchUser,
  type Provider,
  type ProvisionDeps,
  removeUser,
  type UserWithState,
} from './provision-user.ts';
import type { Provisioning } from './scim-token.ts';
import { type GroupMembership, type KnownGroup, nameKey } from './store/scim-store.ts';

interface ScimRoutesDeps extends Omit<ProvisionDeps, 'defaultPlan' | 'onMail'> {
  readonly addressOf: (request: Request) => string;
  readonly limiter: RateLimiter;
  readonly settings: Pick<Settings, 'hubUrl' | 'rates'>;
}

interface ScimParts {
  readonly defaultPlan: Plan;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

type Routes = Pick<
  Handlers,
  Extract<
    keyof Handlers,
    `${string}Scim${'Config' | 'ResourceTypes' | 'Schemas' | 'User' | 'Users' | 'Group' | 'Groups'}`
  >
>;

/** For one workspace. The largest provider sends 25 requests a second. */
const REQUESTS_PER_MINUTE = 1_500;

const USER_COLUMNS: Readonly<Record<string, string>> = {
  username: 'user_name_key',
  externalid: 'external_id',
  displayname: 'display_name',
  id: 'id',
  'emails.value': 'email_key',
  emails: 'email_key',
};
const GROUP_COLUMNS: Readonly<Record<string, string>> = {
  displayname: 'display_name_key',
  externalid: 'external_id',
  id: 'id',
};

/** SCIM 2.0 for identity providers (decision 91, provisioning by SCIM). */
export function scimRoutes(deps: ScimRoutesDeps, parts: ScimParts): Routes {
  const { scim, teams, settings } = deps;
  const ports = { ...deps, ...parts };
  const baseUrl = `${settings.hubUrl}/scim/v2`;
  const admit = (request: Request, { workspace, token }: Provisioning): Provider => {
    if (settings.rates.signIn !== 'off') deps.limiter.take(`scim ${workspace.id}`, REQUESTS_PER_MINUTE);
    const actor = { kind: 'hub', id: undefined, name: 'SCIM' } as const;
    return { workspace, by: { actor, from: originOf(deps, request) }, defaultRole: token.defaultRole };
  };
  const shownUser = async ({ user, isActive }: UserWithState, projection: Projection) => {
    const groups = hasAttribute(projection, 'groups')
      ? await scim.groupsOfUser(user.workspaceId, user.id)
      : [];
    const { id, createdAtMs, changedAtMs } = user;
    const resource = {
      schemas: [USER_SCHEMA],
      id,
      ...userDocument({ ...user, isActive }),
      groups: groups.map(({ groupId, groupName }) => ({ value: groupId, display: groupName })),
      meta: meta(`${baseUrl}/Users/${id}`, 'User', createdAtMs, changedAtMs),
    };
    return { schemas: resource.schemas, ...projected(resource, projection) };
  };
  const shownGroup = async (group: KnownGroup, projection: Projection) => {
    const { id, workspaceId, displayName, externalId, createdAtMs, changedAtMs } = group;
    const members = hasAttribute(projection, 'members') ? await scim.membersOfGroup(workspaceId, id) : [];
    const resource = {
      schemas: [GROUP_SCHEMA],
      id,
      displayName,
      ...(externalId === undefined ? {} : { externalId }),
      members: members.map((member) => memberOf(member, baseUrl)),
      meta: meta(`${baseUrl}/Groups/${id}`, 'Group', createdAtMs, changedAtMs),
    };
    return { schemas: resource.schemas, ...projected(resource, projection) };
  };
  return {
    showScimConfig: ({ request, provisioning }) => {
      admit(request, provisioning);
      return reply(200, serviceProviderConfig(baseUrl), SCIM_TYPE);
    },
    listScimResourceTypes: ({ request, provisioning }) => {
      admit(request, provisioning);
      const all = resourceTypes(baseUrl);
      return reply(200, listResponse(all, all.length, 1), SCIM_TYPE);
    },
    listScimSchemas: ({ request, provisioning }) => {
      admit(request, provisioning);
      const all = schemas(baseUrl);
      return reply(200, listResponse(all, all.length, 1), SCIM_TYPE);
    },
    async listScimUsers({ request, provisioning, query }) {
      const { workspace } = admit(request, provisioning);
      const columns = columnsOf(query.filter, USER_COLUMNS);
      const { from, count } = rangeOf(query);
      const { items, total } = await scim.usersPage(workspace.id, columns, { from, count });
      const team = await teams.load(workspace.id);
      const shown = await Promise.all(
        items.map((user) =>
          shownUser({ user, isActive: team !== undefined && isMember(team, user.accountId) }, query),
        ),
      );
      return reply(200, listResponse(shown, total, from + 1), SCIM_TYPE);
    },
    async addScimUser({ request, provisioning, query }) {
      const who = admit(request, provisioning);
      const added = await addUser(ports, who, readUser(await documentOf(request)));
      const headers = { ...SCIM_TYPE, Location: `${baseUrl}/Users/${added.user.id}` };
      return reply(201, await shownUser(added, query), headers);
    },
    async showScimUser({ request, provisioning, query, parameters: { id } }) {
      const { workspace } = admit(request, provisioning);
      const user = await scim.user(workspace.id, id);
      if (user === undefined) throw noSuchUser();
      const team = await teams.load(workspace.id);
      const isActive = team !== undefined && isMember(team, user.accountId);
      return reply(200, await shownUser({ user, isActive }, query), SCIM_TYPE);
    },
    async replaceScimUser({ request, provisioning, query, parameters: { id } }) {
      const who = admit(request, provisioning);
      const document = await documentOf(request);
      const changed = await changeUser(ports, who, id, ({ isActive }) => readUser(document, isActive));
      return reply(200, await shownUser(changed, query), SCIM_TYPE);
    },
    async changeScimUser({ request, provisioning, query, parameters: { id } }) {
      const who = admit(request, provisioning);
      const operations = readPatch(await documentOf(request));
      const changed = await changeUser(ports, who, id, (before) =>
        readUser(patchUser(userDocument(before), operations)),
      );
      return reply(200, await shownUser(changed, query), SCIM_TYPE);
    },
    async removeScimUser({ request, provisioning, parameters: { id } }) {
      await removeUser(ports, admit(request, provisioning), id);
    },
    async listScimGroups({ request, provisioning, query }) {
      const { workspace } = admit(request, provisioning);
      const columns = columnsOf(query.filter, GROUP_COLUMNS);
      const { from, count } = rangeOf(query);
      const { items, total } = await scim.groupsPage(workspace.id, columns, { from, count });
      const shown = await Promise.all(items.map((group) => shownGroup(group, query)));
      return reply(200, listResponse(shown, total, from + 1), SCIM_TYPE);
    },
    async addScimGroup({ request, provisioning, query }) {
      const who = admit(request, provisioning);
      const added = await addGroup(ports, who, readGroup(await documentOf(request)));
      const headers = { ...SCIM_TYPE, Location: `${baseUrl}/Groups/${added.id}` };
      return reply(201, await shownGroup(added, query), headers);
    },
    async showScimGroup({ request, provisioning, query, parameters: { id } }) {
      const { workspace } = admit(request, provisioning);
      const group = await scim.group(workspace.id, id);
      if (group === undefined) throw noSuchGroup();
      return reply(200, await shownGroup(group, query), SCIM_TYPE);
    },
    async replaceScimGroup({ request, provisioning, query, parameters: { id } }) {
      const who = admit(request, provisioning);
      const wanted = readGroup(await documentOf(request));
      return reply(200, await shownGroup(await changeGroup(ports, who, id, () => wanted), query), SCIM_TYPE);
    },
    async changeScimGroup({ request, provisioning, query, parameters: { id } }) {
      const who = admit(request, provisioning);
      const operations = readPatch(await documentOf(request));
      const changed = await changeGroup(ports, who, id, (before) => patchGroup(before, operations));
      // Without them the answer is empty, because a group may have thousands of members (RFC 7644, section 3.5.2).
      const asks = query.attributes !== undefined || query.excludedAttributes !== undefined;
      return asks ? reply(200, await shownGroup(changed, query), SCIM_TYPE) : reply(204, undefined);
    },
    async removeScimGroup({ request, provisioning, parameters: { id } }) {
      await removeScimGroup(ports, admit(request, provisioning), id);
    },
  };
}

async function documentOf(request: Request): Promise<unknown> {
  if (!announcesBody(request)) throw refuseScim('invalidSyntax', 'a JSON object expected');
  return readJson(await readScimText(request));
}

function rangeOf({
  startIndex = 1,
  count = MAX_RESOURCES,
}: {
  readonly startIndex?: number | undefined;
  readonly count?: number | undefined;
}) {
  return { from: Math.max(1, startIndex) - 1, count: Math.min(MAX_RESOURCES, Math.max(0, count)) };
}

function columnsOf(filter: string | undefined, columns: Readonly<Record<string, string>>) {
  const comparisons = filter === undefined || filter.trim() === '' ? [] : readFilter(filter);
  return comparisons.map(({ attribute, value }: FilterComparison) => {
    const column = Object.hasOwn(columns, attribute) ? columns[attribute] : undefined;
    if (column === undefined || typeof value !== 'string')
      throw refuseScim(
        'invalidFilter',
        `filter: one of ${Object.keys(columns).join(', ')} and a text expected`,
      );
    return [column, column.endsWith('_key') ? nameKey(value) : value] as const;
  });
}

function memberOf({ userId, userName }: GroupMembership, baseUrl: string) {
  return { value: userId, display: userName, $ref: `${baseUrl}/Users/${userId}` };
}

function meta(location: string, resourceType: 'User' | 'Group', createdAtMs: number, changedAtMs: number) {
  return { resourceType, created: time(createdAtMs), lastModified: time(changedAtMs), location };
}
