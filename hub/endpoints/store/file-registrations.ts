import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditTrail } from '../../audit/store/audit-trail.ts';
import { registeredOf } from '../../pipelines/store/pipeline-rows.ts';
import type { Database } from '../../platform/db/database.ts';
import { makingStale, type Statement, type Unit } from '../../platform/db/unit/statement.ts';
import { slugsOf } from '../../workspaces/store/slugs.ts';
import type { AnnouncedFile, RegisteredEndpoint, Registration } from '../endpoint-ports.ts';
import { announcedRow, changedTo, type Registrant, versionOf } from './endpoint-rows.ts';
import { FilePipelines } from './file-pipelines.ts';
import type { FollowDefinition } from './follow-definition.ts';
import {
  type CurrentEndpoint,
  type CurrentFile,
  planRegistration,
  type RegistrationPlan,
} from './plan-registration.ts';
import { queriesOf } from './queries.ts';
import { registrationEntry } from './registration-entry.ts';

/** What the registration of files uses. */
export interface FileParts {
  readonly trail: Pick<AuditTrail, 'commit'>;
  readonly newId: () => string;
  readonly schedules: FollowDefinition;
  readonly registered: (row: CurrentEndpoint) => RegisteredEndpoint;
}

/** Makes the endpoints, pipelines and schedules of an agent name equal to its file, in one transaction. */
export class FileRegistrations {
  readonly #database: Database;
  readonly #parts: FileParts;
  readonly #pipelines: FilePipelines;
  readonly #queries: ReturnType<typeof queriesOf>;
  readonly #slugs: ReturnType<typeof slugsOf>;

  constructor(database: Database, parts: FileParts) {
    this.#database = database;
    this.#parts = parts;
    this.#pipelines = new FilePipelines(database, parts.newId);
    this.#queries = queriesOf(database);
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
      const added = plan.endpoints.add.map((one) => announcedRow(this.#parts.newId(), one, registrant));
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
  async #commit<Tag extends string>(unit: Unit<Tag>, entry: AuditEntry | undefined): Promise<Tag | 'stored'> {
    if (entry !== undefined) return await this.#parts.trail.commit(unit, entry);
    return unit.length === 0 ? 'stored' : await this.#database.commit(unit);
  }

  async #current(workspaceId: string): Promise<CurrentFile> {
    const [endpoints, pipelines] = await Promise.all([
      this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId })),
      this.#pipelines.current(workspaceId),
    ]);
    return { endpoints, pipelines };
  }

  #releases({ endpoints, pipelines }: RegistrationPlan): Unit<'overtaken'> {
    return [
      ...endpoints.remove.map(({ id, version }) => this.#queries.remove({ id, version })),
      ...this.#pipelines.removals(pipelines.remove),
      ...[...endpoints.remove, ...pipelines.remove].map((row) => this.#slugs.release(row)),
    ];
  }

  #changes(added: readonly CurrentEndpoint[], changed: readonly CurrentEndpoint[]): Unit<'overtaken'> {
    const { add, change, addVersion } = this.#queries;
    return [
      ...changed.map((row) => change({ ...row, from_version: row.version - 1 })),
      ...added.flatMap((row) => [this.#slugs.claimForFile(row), add(row)]),
      ...[...changed, ...added].map((row) => addVersion(versionOf(row))),
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
