import type { Announced, Endpoints, RegisteredEndpoint, Registration } from '../../engine/ports.ts';
import { type Database, firstRow } from '../database.ts';
import { Definitions, type EndpointOf } from './definitions.ts';
import { type CurrentEndpoint, planRegistration, type RegistrationPlan } from './plan-registration.ts';
import { queriesOf } from './queries.ts';

interface Registrant {
  readonly workspaceId: string;
  readonly agentName: string;
  readonly nowMs: number;
}

/** Endpoints with the definition that holds now; every earlier version stays readable. */
export class StoredEndpoints implements Endpoints {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #newId: () => string;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, endpointOf: EndpointOf, newId: () => string) {
    this.#database = database;
    this.#definitions = new Definitions(endpointOf);
    this.#newId = newId;
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

  async list(workspaceId: string): Promise<RegisteredEndpoint[]> {
    return (await this.#current(workspaceId)).map((row) => this.#registered(row));
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
      const plan = planRegistration(agentName, announced, await this.#current(workspaceId));
      const added = plan.add.map((one) => this.#added(one, registrant));
      const changed = plan.change.map(({ from, to }) => changedTo(from, to, nowMs));
      const rows = [...plan.keep, ...changed, ...added];
      // Before anything is stored: what cannot be read may not be registered.
      const registered = rows.map((row) => this.#registered(row));
      if ((await this.#store(plan, added, changed)) === 'stored')
        return { registered, refused: plan.refused };
    }
  }

  async #store(
    plan: RegistrationPlan,
    added: readonly CurrentEndpoint[],
    changed: readonly CurrentEndpoint[],
  ): Promise<'stored' | 'overtaken'> {
    const { add, change, remove, addVersion } = this.#queries;
    const unit = [
      ...plan.remove.map(({ id, version }) => remove({ id, version })),
      ...changed.map(({ id, version, updated_at_ms }) =>
        change({ id, version, updated_at_ms, from_version: version - 1 }),
      ),
      ...added.map((row) => add(row)),
      ...[...changed, ...added].map((row) =>
        addVersion({ ...row, endpoint_id: row.id, created_at_ms: row.updated_at_ms }),
      ),
    ];
    return unit.length === 0 ? 'stored' : await this.#database.commit(unit);
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
    };
  }

  #registered(row: CurrentEndpoint): RegisteredEndpoint {
    return {
      id: row.id,
      workspaceId: row.workspace_id,
      source: row.source,
      registeredBy: row.registered_by ?? undefined,
      definitionHash: row.definition_hash,
      version: row.version,
      endpoint: this.#definitions.of(row),
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
