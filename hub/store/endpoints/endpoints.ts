import type { AuditEntry } from '@svc/core/audit/entry';
import type {
  Announced,
  EndpointDraft,
  EndpointStored,
  Endpoints,
  EndpointVersion,
  RegisteredEndpoint,
  Registration,
} from '../../engine/ports/endpoints.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { type Database, firstRow } from '../database.ts';
import { FollowDefinition } from '../schedules/follow-definition.ts';
import type { EndpointVersionRow } from '../tables.ts';
import { once } from '../unit/precompile.ts';
import type { Statement, Unit } from '../unit/statement.ts';
import { Definitions, type EndpointOf, overridesOf } from './definitions.ts';
import { type CurrentEndpoint, planRegistration, type RegistrationPlan } from './plan-registration.ts';
import { allOf, queriesOf } from './queries.ts';
import { registrationEntry } from './registration-entry.ts';

interface Registrant {
  readonly workspaceId: string;
  readonly agentName: string;
  readonly nowMs: number;
}

/** What endpoints are made of besides their rows. */
export interface EndpointParts {
  readonly trail: Pick<AuditTrail, 'commit'>;
  readonly endpointOf: EndpointOf;
  readonly newId: () => string;
}

/** Endpoints with the definition that holds now; every earlier version stays readable. */
export class StoredEndpoints implements Endpoints {
  readonly #database: Database;
  readonly #trail: EndpointParts['trail'];
  readonly #definitions: Definitions;
  readonly #newId: () => string;
  readonly #schedules: FollowDefinition;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, { trail, endpointOf, newId }: EndpointParts) {
    this.#database = database;
    this.#trail = trail;
    this.#definitions = new Definitions(endpointOf);
    this.#newId = newId;
    this.#schedules = new FollowDefinition(database);
    this.#queries = queriesOf(database);
  }

  async find(workspaceId: string, slug: string): Promise<RegisteredEndpoint | undefined> {
    const row = await firstRow(this.#database, this.#queries.bySlug({ workspace_id: workspaceId, slug }));
    return row && this.#registered(row);
  }

  async byId(id: string): Promise<RegisteredEndpoint | undefined> {
    const row = await firstRow(this.#database, this.#queries.byId({ id }));
    return row && this.#registered(row);
  }

  async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, RegisteredEndpoint>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#database.rows(once(allOf(this.#database, ids)));
    return new Map(rows.map((row) => [row.id, this.#registered(row)]));
  }

  async list(workspaceId: string): Promise<RegisteredEndpoint[]> {
    return (await this.#current(workspaceId)).map((row) => this.#registered(row));
  }

  async create(id: string, draft: EndpointDraft, entry: AuditEntry): Promise<EndpointStored> {
    const row = createdFrom(id, draft, entry);
    const { create, addVersion } = this.#queries;
    const unit = [create(row), addVersion(versionOf(row)), ...this.#scheduling(row, entry.atMs)];
    return await this.#trail.commit(unit, entry);
  }

  async change(
    from: RegisteredEndpoint,
    to: EndpointDraft,
    entry: AuditEntry,
  ): Promise<EndpointStored | 'overtaken'> {
    const row = { ...rowOf(from), ...columnsOf(to), version: from.version + 1, updated_at_ms: entry.atMs };
    const { change, rename, addVersion } = this.#queries;
    const changing = to.slug === from.endpoint.slug ? change : rename;
    const unit = [
      changing({ ...row, from_version: from.version }),
      addVersion(versionOf(row)),
      ...this.#scheduling(row, entry.atMs),
    ];
    return await this.#trail.commit(unit, entry);
  }

  async remove({ id, version }: RegisteredEndpoint, entry: AuditEntry): Promise<'stored' | 'overtaken'> {
    const gone = { id, workspaceId: entry.workspaceId, expression: undefined };
    const unit = [this.#queries.remove({ id, version }), ...this.#schedules.statements(gone, entry.atMs)];
    return await this.#trail.commit(unit, entry);
  }

  async versions(endpointId: string): Promise<EndpointVersion[]> {
    const rows = await this.#database.rows(this.#queries.versions({ endpoint_id: endpointId }));
    return rows.map(readVersion);
  }

  async version(endpointId: string, version: number): Promise<EndpointVersion | undefined> {
    const row = await firstRow(this.#database, this.#queries.version({ endpoint_id: endpointId, version }));
    return row && readVersion(row);
  }

  async register(
    workspaceId: string,
    agentName: string,
    announced: readonly Announced[],
    nowMs: number,
  ): Promise<Registration> {
    const registrant = { workspaceId, agentName, nowMs };
    // Whoever comes in between has made progress, so this comes to an end.
    for (;;) {
      // Before the definitions: what is changed in between is then newer in them, and refused by their versions.
      const scheduled = await this.#schedules.expressions(workspaceId);
      const plan = planRegistration(agentName, announced, await this.#current(workspaceId));
      const added = plan.add.map((one) => this.#added(one, registrant));
      const changed = plan.change.map(({ from, to }) => changedTo(from, to, nowMs));
      const rows = [...plan.keep, ...changed, ...added];
      // Before anything is stored: what cannot be read may not be registered.
      const registered = rows.map((row) => this.#registered(row));
      const unit = [
        ...this.#registration(plan, added, changed),
        ...this.#rescheduling(plan, registered, scheduled, nowMs),
      ];
      if ((await this.#commit(unit, registrationEntry(registrant, plan))) === 'stored')
        return { registered, refused: plan.refused };
    }
  }

  /** Most registrations are of what is registered already. */
  async #commit<Tag extends string>(unit: Unit<Tag>, entry: AuditEntry | undefined): Promise<Tag | 'stored'> {
    if (entry !== undefined) return await this.#trail.commit(unit, entry);
    return unit.length === 0 ? 'stored' : await this.#database.commit(unit);
  }

  #registration(
    plan: RegistrationPlan,
    added: readonly CurrentEndpoint[],
    changed: readonly CurrentEndpoint[],
  ): Unit<'overtaken'> {
    const { add, change, remove, addVersion } = this.#queries;
    return [
      ...plan.remove.map(({ id, version }) => remove({ id, version })),
      ...changed.map((row) => change({ ...row, from_version: row.version - 1 })),
      ...added.map((row) => add(row)),
      ...[...changed, ...added].map((row) => addVersion(versionOf(row))),
    ];
  }

  /** Schedules that are not what the definitions say; also of definitions that were there before there were schedules. */
  #rescheduling(
    { remove }: RegistrationPlan,
    registered: readonly RegisteredEndpoint[],
    scheduled: ReadonlyMap<string, string>,
    nowMs: number,
  ): Statement<never>[] {
    const wanted = [
      ...remove.map(({ id, workspace_id: workspaceId }) => ({ id, workspaceId, expression: undefined })),
      ...registered.map(({ id, workspaceId, endpoint }) => ({
        id,
        workspaceId,
        expression: endpoint.schedule,
      })),
    ];
    return wanted
      .filter(({ id, expression }) => scheduled.get(id) !== expression)
      .flatMap((one) => this.#schedules.statements(one, nowMs));
  }

  /** The schedule of one that is made or changed. */
  #scheduling(row: CurrentEndpoint, nowMs: number): Statement<never>[] {
    const { id, workspaceId, endpoint } = this.#registered(row);
    return this.#schedules.statements({ id, workspaceId, expression: endpoint.schedule }, nowMs);
  }

  #current(workspaceId: string): Promise<CurrentEndpoint[]> {
    return this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
  }

  #added({ slug, definitionHash, definition }: Announced, registrant: Registrant): CurrentEndpoint {
    return {
      id: this.#newId(),
      workspace_id: registrant.workspaceId,
      slug,
      source: 'config',
      registered_by: registrant.agentName,
      version: 1,
      created_at_ms: registrant.nowMs,
      updated_at_ms: registrant.nowMs,
      definition_hash: definitionHash,
      definition,
      overrides: null,
    };
  }

  #registered(row: CurrentEndpoint): RegisteredEndpoint {
    return {
      ...this.#definitions.of(row),
      id: row.id,
      workspaceId: row.workspace_id,
      source: row.source,
      registeredBy: row.registered_by ?? undefined,
      definitionHash: row.definition_hash,
      version: row.version,
      definition: row.definition,
      createdAtMs: row.created_at_ms,
      updatedAtMs: row.updated_at_ms,
    };
  }
}

function changedTo(from: CurrentEndpoint, to: Announced, nowMs: number): CurrentEndpoint {
  const { definition, definitionHash } = to;
  return {
    ...from,
    version: from.version + 1,
    updated_at_ms: nowMs,
    definition,
    definition_hash: definitionHash,
  };
}

function createdFrom(id: string, draft: EndpointDraft, { workspaceId, atMs }: AuditEntry): CurrentEndpoint {
  return {
    id,
    workspace_id: workspaceId,
    source: 'api',
    registered_by: null,
    version: 1,
    created_at_ms: atMs,
    updated_at_ms: atMs,
    ...columnsOf(draft),
  };
}

function columnsOf({ slug, definitionHash, definition, overrides }: EndpointDraft) {
  const isOverridden = Object.keys(overrides).length > 0;
  return {
    slug,
    definition_hash: definitionHash,
    definition,
    overrides: isOverridden ? JSON.stringify(overrides) : null,
  };
}

function rowOf({ id, workspaceId, source, registeredBy, createdAtMs }: RegisteredEndpoint) {
  return {
    id,
    workspace_id: workspaceId,
    source,
    registered_by: registeredBy ?? null,
    created_at_ms: createdAtMs,
  };
}

function versionOf(row: CurrentEndpoint): EndpointVersionRow {
  return { ...row, endpoint_id: row.id, created_at_ms: row.updated_at_ms };
}

function readVersion(row: EndpointVersionRow): EndpointVersion {
  return {
    version: row.version,
    source: row.source ?? 'config',
    definitionHash: row.definition_hash,
    definition: row.definition,
    overrides: overridesOf(row.overrides),
    createdAtMs: row.created_at_ms,
  };
}
