import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import type { AnnouncedPipeline } from '../../pipelines/pipeline-ports.ts';
import {
  announcedPipelineRow,
  type CurrentPipeline,
  registeredOf,
  versionRow,
} from '../../pipelines/store/pipeline-rows.ts';
import { pipelineQueries } from '../../pipelines/store/queries.ts';
import type { Database } from '../../platform/db/database.ts';
import { makingStale, type Statement, type UnitOfWork } from '../../platform/db/unit/statement.ts';
import { slugsOf } from '../../workspaces/store/slugs.ts';
import type { AnnouncedFile, RegisteredEndpoint, Registration } from '../endpoint-ports.ts';
import { announcedEndpointRow, changedTo, endpointVersionRow, type Registrant } from './endpoint-rows.ts';
import type { FollowDefinition } from './follow-definition.ts';
import {
  type CurrentEndpoint,
  type CurrentFile,
  type KindPlan,
  planRegistration,
  type RegistrationPlan,
} from './plan-registration.ts';
import { endpointQueries } from './queries.ts';

/** The stores that the registration of files uses. */
interface FileParts {
  readonly auditWriter: Pick<AuditWriter, 'commit'>;
  readonly newId: () => string;
  readonly schedules: FollowDefinition;
  readonly registered: (row: CurrentEndpoint) => RegisteredEndpoint;
}

/** Makes the endpoints, pipelines and schedules of an agent name equal to its file, in one transaction. */
export class FileRegistrations {
  readonly #database: Database;
  readonly #parts: FileParts;
  readonly #pipelines: FilePipelines;
  readonly #queries: ReturnType<typeof endpointQueries>;
  readonly #slugs: ReturnType<typeof slugsOf>;

  constructor(database: Database, parts: FileParts) {
    this.#database = database;
    this.#parts = parts;
    this.#pipelines = new FilePipelines(database, parts.newId);
    this.#queries = endpointQueries(database);
    this.#slugs = slugsOf(database);
  }

  async register(registrant: Registrant, file: AnnouncedFile): Promise<Registration> {
    const { workspaceId, agentName, nowMs } = registrant;
    const stale = [
      { kind: 'endpoints', workspaceId },
      { kind: 'pipelines', workspaceId },
    ] as const;
    // A concurrent registration that wins has made progress, so this loop ends.
    for (;;) {
      // Read before the definitions: a concurrent change then has a newer version, and the versions refuse this one.
      const scheduled = await this.#parts.schedules.expressions(workspaceId);
      const plan = planRegistration(agentName, file, await this.#current(workspaceId));
      const added = plan.endpoints.add.map((one) =>
        announcedEndpointRow(this.#parts.newId(), one, registrant),
      );
      const changed = plan.endpoints.change.map(({ from, to }) => changedTo(from, to, registrant));
      const pipelines = this.#pipelines.next(plan.pipelines, registrant);
      // Parsed before anything is stored, because an unreadable definition must not be registered.
      const registered = [...plan.endpoints.keep, ...changed, ...added].map(this.#parts.registered);
      const registeredPipelines = pipelines.rows.map(registeredOf);
      const unit = [
        // Slugs are released before they are claimed, because an endpoint of the file may become a pipeline.
        ...this.#releases(plan),
        ...pipelines.unit,
        ...this.#changes(added, changed),
        ...this.#rescheduling(plan, registered, scheduled, nowMs),
      ];
      if ((await this.#commit(makingStale(unit, ...stale), registrationEntry(registrant, plan))) === 'stored')
        return { registered, pipelines: registeredPipelines, refused: plan.refused };
    }
  }

  /** The common case: the file is registered already. */
  async #commit<Tag extends string>(
    unit: UnitOfWork<Tag>,
    entry: AuditEntry | undefined,
  ): Promise<Tag | 'stored'> {
    if (entry !== undefined) return await this.#parts.auditWriter.commit(unit, entry);
    return unit.length === 0 ? 'stored' : await this.#database.commit(unit);
  }

  async #current(workspaceId: string): Promise<CurrentFile> {
    const [endpoints, pipelines] = await Promise.all([
      this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId })),
      this.#pipelines.current(workspaceId),
    ]);
    return { endpoints, pipelines };
  }

  #releases({ endpoints, pipelines }: RegistrationPlan): UnitOfWork<'overtaken'> {
    return [
      ...endpoints.remove.map(({ id, version }) => this.#queries.remove({ id, version })),
      ...this.#pipelines.removals(pipelines.remove),
      ...[...endpoints.remove, ...pipelines.remove].map((row) => this.#slugs.release(row)),
    ];
  }

  #changes(added: readonly CurrentEndpoint[], changed: readonly CurrentEndpoint[]): UnitOfWork<'overtaken'> {
    const { add, change, addVersion } = this.#queries;
    return [
      ...changed.map((row) => change({ ...row, from_version: row.version - 1 })),
      ...added.flatMap((row) => [this.#slugs.claimForFile(row), add(row)]),
      ...[...changed, ...added].map((row) => addVersion(endpointVersionRow(row))),
    ];
  }

  /** The schedules that differ from their definitions, including definitions that are older than schedules. */
  #rescheduling(
    { endpoints: { remove } }: RegistrationPlan,
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
      .flatMap((one) => this.#parts.schedules.statements(one, nowMs));
  }
}

/** The entry names only some slugs, because a file can have thousands; the versions have the details. */
const MAX_NAMED = 50;

/** The audit entry of a registration (decision 48, the audit log); undefined: the registration changes nothing. */
function registrationEntry(
  agent: { readonly workspaceId: string; readonly agentName: string; readonly nowMs: number },
  { endpoints, pipelines }: RegistrationPlan,
): AuditEntry | undefined {
  const add = [...endpoints.add, ...pipelines.add];
  const change = [...endpoints.change, ...pipelines.change];
  const remove = [...endpoints.remove, ...pipelines.remove];
  if (add.length + change.length + remove.length === 0) return undefined;
  return {
    workspaceId: agent.workspaceId,
    atMs: agent.nowMs,
    action: 'agent.registered',
    actor: { kind: 'agent', id: undefined, name: agent.agentName },
    from: { address: undefined, userAgent: undefined },
    target: { kind: 'agent', id: agent.agentName, name: agent.agentName },
    details: {
      added: named(add.map(({ slug }) => slug)),
      changed: named(change.map(({ to }) => to.slug)),
      removed: named(remove.map(({ slug }) => slug)),
    },
  };
}

function named(slugs: readonly string[]): readonly string[] {
  const more = slugs.length - MAX_NAMED;
  return more > 0 ? [...slugs.slice(0, MAX_NAMED), `and ${more} more`] : slugs;
}

/** Registers the pipelines of a file in the transaction of its endpoints. */
class FilePipelines {
  readonly #database: Database;
  readonly #newId: () => string;
  readonly #queries: ReturnType<typeof pipelineQueries>;
  readonly #slugs: ReturnType<typeof slugsOf>;

  constructor(database: Database, newId: () => string) {
    this.#database = database;
    this.#newId = newId;
    this.#queries = pipelineQueries(database);
    this.#slugs = slugsOf(database);
  }

  current(workspaceId: string): Promise<CurrentPipeline[]> {
    return this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
  }

  removals(rows: readonly CurrentPipeline[]): UnitOfWork<'overtaken'> {
    return rows.map(({ id, version }) => this.#queries.remove({ id, version }));
  }

  /** The pipelines of the agent name after the plan, and the statements that store them. */
  next(
    { add, change, keep }: KindPlan<CurrentPipeline, AnnouncedPipeline>,
    registrant: Registrant,
  ): { readonly rows: readonly CurrentPipeline[]; readonly unit: UnitOfWork<'overtaken'> } {
    const added = add.map((one) => announcedPipelineRow(this.#newId(), one, registrant));
    const changed = change.map(({ from, to: { definition } }) => ({
      ...from,
      definition,
      version: from.version + 1,
      updated_at_ms: registrant.nowMs,
    }));
    const queries = this.#queries;
    const unit = [
      ...changed.map((row) => queries.change({ ...row, from_version: row.version - 1 })),
      ...added.flatMap((row) => [this.#slugs.claimForFile(row), queries.add(row)]),
      ...[...changed, ...added].map((row) => queries.addVersion(versionRow(row))),
    ];
    return { rows: [...keep, ...changed, ...added], unit };
  }
}
