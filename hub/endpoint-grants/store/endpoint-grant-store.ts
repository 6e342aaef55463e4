import type { AuditEntry } from '@svc/core/audit/entry';
import {
  type EndpointAccess,
  type EndpointAction,
  type EndpointGrant,
  type EndpointRightsFacts,
  type Grantee,
  MAX_ENDPOINT_GRANTS,
  WorkspaceRights,
} from '@svc/core/workspace/endpoint-rights';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import type { Endpoints } from '../../endpoints/store/endpoint-store.ts';
import type { Pipelines } from '../../pipelines/store/pipeline-store.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import type { ServiceAccounts } from '../../service-accounts/store/service-account-store.ts';
import type { MemberGroups } from '../../teams/store/member-groups.ts';
import type { Teams } from '../../teams/store/team-store.ts';
import type { EndpointGrantRow } from './table.ts';

interface Parts {
  readonly auditWriter: AuditWriter;
  readonly endpoints: Pick<Endpoints, 'list'>;
  readonly memberGroups: Pick<MemberGroups, 'ofWorkspace'>;
  readonly pipelines: Pick<Pipelines, 'list'>;
  readonly serviceAccounts: Pick<ServiceAccounts, 'ofWorkspace'>;
  readonly teams: Pick<Teams, 'load'>;
}

/** A member as grants see them. */
export interface NamedMember extends Grantee {
  readonly kind: 'member';
  /** The address. */
  readonly name: string;
}

const NO_FACTS: EndpointRightsFacts = {
  access: 'all',
  grants: [],
  members: new Map(),
  serviceAccounts: new Map(),
  tags: new Map(),
  steps: new Map(),
};

/** Grants on endpoints, and the rights that follow from them. */
export class EndpointGrants {
  readonly #database: Database;
  readonly #parts: Parts;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, parts: Parts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = queriesOf(database);
  }

  /** In the order in which they were made. */
  async ofWorkspace(workspaceId: string): Promise<EndpointGrant[]> {
    return (await this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }))).map(grantOf);
  }

  async access(workspaceId: string): Promise<EndpointAccess> {
    const row = await firstRow(this.#database, this.#queries.access({ workspace_id: workspaceId }));
    return row?.endpoint_access ?? 'all';
  }

  /** The rights of all principals of a workspace. Without grants that is one row and an empty list. */
  async rights(workspaceId: string): Promise<WorkspaceRights> {
    const it = { workspace_id: workspaceId };
    const [row, grants] = await Promise.all([
      firstRow(this.#database, this.#queries.access(it)),
      this.ofWorkspace(workspaceId),
    ]);
    const access = row?.endpoint_access ?? 'all';
    const demands = row !== undefined && row.second_factor !== null;
    const lacking = demands ? await this.#database.rows(this.#queries.lacking(it)) : [];
    const lackingIds = new Set(lacking.map(({ user_id }) => user_id));
    if (access === 'all' && grants.length === 0) return new WorkspaceRights(NO_FACTS, lackingIds);
    const { endpoints, pipelines, serviceAccounts } = this.#parts;
    const [members, accounts, registered, graphs] = await Promise.all([
      this.members(workspaceId, grants),
      serviceAccounts.ofWorkspace(workspaceId),
      endpoints.list(workspaceId),
      pipelines.list(workspaceId),
    ]);
    const facts: EndpointRightsFacts = {
      access,
      grants,
      members: new Map(members.map((member) => [member.id, member])),
      serviceAccounts: new Map(accounts.map((account) => [account.id, account])),
      tags: new Map(registered.map(({ endpoint: { slug, tags = [] } }) => [slug, tags])),
      steps: new Map(
        graphs.map(({ pipeline: { slug, nodes } }) => [
          slug,
          nodes.flatMap((node) => (node.kind === 'step' ? [node.endpoint] : [])),
        ]),
      ),
    };
    return new WorkspaceRights(facts, lackingIds);
  }

  /** The members of a workspace; with the groups of each only if one of the grants is for a group. */
  async members(workspaceId: string, grants: readonly EndpointGrant[]): Promise<readonly NamedMember[]> {
    const { teams, memberGroups } = this.#parts;
    const needsGroups = grants.some(({ granteeKind }) => granteeKind === 'group');
    const [team, groups] = await Promise.all([
      teams.load(workspaceId),
      needsGroups ? memberGroups.ofWorkspace(workspaceId) : new Map<string, readonly string[]>(),
    ]);
    return (team?.members ?? []).map(({ userId: id, email: name, role, viaGroup }) => {
      const proved = groups.get(id) ?? [];
      return {
        kind: 'member',
        id,
        name,
        role,
        groups: viaGroup === undefined ? proved : [viaGroup, ...proved],
      };
    });
  }

  /**
   * `too_many`: the workspace has the most grants that it may have. `no_member`: the member has left meanwhile, and would have the grant
   * again after coming back.
   */
  async add(grant: EndpointGrant, entry: AuditEntry): Promise<'stored' | 'too_many' | 'no_member'> {
    const row = {
      ...rowOf(grant),
      endpoints: JSON.stringify(grant.endpoints),
      can: JSON.stringify(grant.can),
    };
    const { add, fits, isMember } = this.#queries;
    const unit = [...(grant.granteeKind === 'member' ? [isMember(row)] : []), add(row), fits(row)];
    const stale = makingStale(unit, { kind: 'workspace', id: grant.workspaceId });
    return await this.#parts.auditWriter.commit(stale, entry);
  }

  /** False when there is no such grant. */
  async remove(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    return await this.#commit(workspaceId, [this.#queries.remove({ workspace_id: workspaceId, id })], entry);
  }

  /** False when the access is another one than `from`. */
  async changeAccess(
    {
      workspaceId,
      from,
      to,
    }: { readonly workspaceId: string; readonly from: EndpointAccess; readonly to: EndpointAccess },
    entry: AuditEntry,
  ): Promise<boolean> {
    const change = this.#queries.changeAccess({ workspace_id: workspaceId, from, to });
    return await this.#commit(workspaceId, [change], entry);
  }

  async #commit(
    workspaceId: string,
    unit: readonly Statement<'refused'>[],
    entry: AuditEntry,
  ): Promise<boolean> {
    const stale = makingStale(unit, { kind: 'workspace', id: workspaceId });
    return (await this.#parts.auditWriter.commit(stale, entry)) === 'stored';
  }
}

const COLUMNS = [
  'id',
  'workspace_id',
  'grantee_kind',
  'grantee',
  'endpoints',
  'can',
  'created_by',
  'created_at_ms',
] as const;

function grantOf(row: EndpointGrantRow): EndpointGrant {
  return {
    ...recordOf(row),
    endpoints: JSON.parse(row.endpoints) as string[],
    can: JSON.parse(row.can) as EndpointAction[],
  };
}

// The entry of the audit log comes first in each unit, which serializes the units of a workspace. So the count is exact.
function queriesOf({ build }: Database) {
  return {
    ofWorkspace: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('endpoint_grants')
        .select(COLUMNS)
        .where('workspace_id', '=', it.workspace_id)
        .orderBy('id'),
    ),
    access: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('workspaces')
        .select(['endpoint_access', 'second_factor'])
        .where('id', '=', it.workspace_id),
    ),
    lacking: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('members')
        .innerJoin('users', 'users.id', 'members.user_id')
        .select('members.user_id')
        .where('members.workspace_id', '=', it.workspace_id)
        .where('users.second_factor_since_ms', 'is', null),
    ),
    add: writing((it: EndpointGrantRow) => build.insertInto('endpoint_grants').values(slotsOf(it, COLUMNS))),
    /** Changes nothing. */
    isMember: writing(
      (it: Pick<EndpointGrantRow, 'workspace_id' | 'grantee'>) =>
        build
          .updateTable('members')
          .set((row) => ({ epoch: row.ref('epoch') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('user_id', '=', it.grantee),
      { unlessChanged: 'no_member' },
    ),
    /** Changes nothing. Finds the new grant unless there are too many. */
    fits: writing(
      (it: Pick<EndpointGrantRow, 'workspace_id' | 'id'>) =>
        build
          .updateTable('endpoint_grants')
          .set((row) => ({ can: row.ref('can') }))
          .where('id', '=', it.id)
          .where(
            (row) =>
              row
                .selectFrom('endpoint_grants as others')
                .select((of) => of.fn.countAll<number>().as('n'))
                .where('others.workspace_id', '=', it.workspace_id),
            '<=',
            MAX_ENDPOINT_GRANTS,
          ),
      { unlessChanged: 'too_many' },
    ),
    remove: writing(
      (it: Pick<EndpointGrantRow, 'workspace_id' | 'id'>) =>
        build
          .deleteFrom('endpoint_grants')
          .where('id', '=', it.id)
          .where('workspace_id', '=', it.workspace_id),
      { unlessChanged: 'refused' },
    ),
    changeAccess: writing(
      (it: { workspace_id: string; from: EndpointAccess; to: EndpointAccess }) =>
        build
          .updateTable('workspaces')
          .set({ endpoint_access: it.to })
          .where('id', '=', it.workspace_id)
          .where((row) => row(row.fn.coalesce('endpoint_access', row.val('all')), '=', it.from)),
      { unlessChanged: 'refused' },
    ),
  };
}
