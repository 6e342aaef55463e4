import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import { makingStale, type Statement, type UnitOfWork } from '../../platform/db/unit/statement.ts';
import { slugsOf } from '../../workspaces/store/slugs.ts';
import type {
  AnnouncedFile,
  EndpointStored,
  EndpointVersion,
  EndpointVersionDraft,
  RegisteredEndpoint,
  Registering,
  Registration,
} from '../endpoint-ports.ts';
import { Definitions, type EndpointOf } from './definitions.ts';
import {
  columnsOf,
  createdFrom,
  endpointRow,
  endpointVersionRow,
  exposureOf,
  readVersion,
  registrantOf,
} from './endpoint-rows.ts';
import { FileRegistrations } from './file-registrations.ts';
import { FollowDefinition } from './follow-definition.ts';
import type { CurrentEndpoint } from './plan-registration.ts';
import { allOf, endpointQueries } from './queries.ts';

/** The stores that the store of endpoints uses besides the database. */
export interface EndpointParts {
  readonly auditWriter: Pick<AuditWriter, 'commit'>;
  readonly endpointOf: EndpointOf;
  readonly newId: () => string;
}

/** Endpoints with their current definitions. Every earlier version stays readable. */
export class Endpoints {
  readonly #database: Database;
  readonly #auditWriter: EndpointParts['auditWriter'];
  readonly #definitions: Definitions;
  readonly #schedules: FollowDefinition;
  readonly #files: FileRegistrations;
  readonly #queries: ReturnType<typeof endpointQueries>;
  readonly #slugs: ReturnType<typeof slugsOf>;

  constructor(database: Database, { auditWriter, endpointOf, newId }: EndpointParts) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#definitions = new Definitions(endpointOf);
    this.#schedules = new FollowDefinition(database);
    this.#queries = endpointQueries(database);
    this.#slugs = slugsOf(database);
    this.#files = new FileRegistrations(database, {
      auditWriter,
      newId,
      schedules: this.#schedules,
      registered: (row) => this.#registered(row),
    });
  }

  async find(workspaceId: string, slug: string): Promise<RegisteredEndpoint | undefined> {
    const row = await firstRow(this.#database, this.#queries.bySlug({ workspace_id: workspaceId, slug }));
    return row && this.#registered(row);
  }

  async byId(id: string): Promise<RegisteredEndpoint | undefined> {
    const row = await firstRow(this.#database, this.#queries.byId({ id }));
    return row && this.#registered(row);
  }

  /** The existing endpoints among these, by id. */
  async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, RegisteredEndpoint>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#database.rows(once(allOf(this.#database, ids)));
    return new Map(rows.map((row) => [row.id, this.#registered(row)]));
  }

  async list(workspaceId: string): Promise<RegisteredEndpoint[]> {
    const rows = await this.#database.reader.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map((row) => this.#registered(row));
  }

  /** Creates an endpoint of the API with its audit entry. */
  async create(id: string, draft: EndpointVersionDraft, entry: AuditEntry): Promise<EndpointStored> {
    const row = createdFrom(id, draft, entry);
    const { create, addVersion } = this.#queries;
    const unit = [
      this.#slugs.claim(row),
      create(row),
      addVersion(endpointVersionRow(row)),
      ...this.#scheduling(row, entry.atMs),
    ];
    return await this.#auditWriter.commit(makingEndpointsStale(unit, entry), entry);
  }

  /** Stores the next version with its audit entry, by compare-and-set on the version that was decided on. */
  async change(
    from: RegisteredEndpoint,
    to: EndpointVersionDraft,
    entry: AuditEntry,
  ): Promise<EndpointStored | 'overtaken'> {
    const row = {
      ...endpointRow(from),
      ...columnsOf(to),
      version: from.version + 1,
      updated_at_ms: entry.atMs,
    };
    const { change, rename, addVersion } = this.#queries;
    const old = { workspace_id: from.workspaceId, slug: from.endpoint.slug };
    const isRenamed = to.slug !== old.slug;
    const changing = isRenamed ? rename : change;
    const unit = [
      ...(isRenamed ? [this.#slugs.release(old), this.#slugs.claim(row)] : []),
      changing({ ...row, from_version: from.version }),
      addVersion(endpointVersionRow(row)),
      ...this.#scheduling(row, entry.atMs),
    ];
    return await this.#auditWriter.commit(makingEndpointsStale(unit, entry), entry);
  }

  /** Removes the endpoint with an audit entry, also by compare-and-set. Its versions stay. */
  async remove(
    { id, version, workspaceId, endpoint: { slug } }: RegisteredEndpoint,
    entry: AuditEntry,
  ): Promise<'stored' | 'overtaken'> {
    const unit = [
      this.#queries.remove({ id, version }),
      this.#slugs.release({ workspace_id: workspaceId, slug }),
      ...this.#schedules.statements({ id, workspaceId, expression: undefined }, entry.atMs),
    ];
    return await this.#auditWriter.commit(makingEndpointsStale(unit, entry), entry);
  }

  /** All versions of an endpoint, newest first, also after its removal. */
  async versions(endpointId: string): Promise<EndpointVersion[]> {
    const rows = await this.#database.reader.rows(this.#queries.versions({ endpoint_id: endpointId }));
    return rows.map(readVersion);
  }

  async version(endpointId: string, version: number): Promise<EndpointVersion | undefined> {
    const row = await firstRow(this.#database, this.#queries.version({ endpoint_id: endpointId, version }));
    return row && readVersion(row);
  }

  /**
   * Makes the endpoints and pipelines of an agent name equal to its file, in one transaction: adds, changes (as a new
   * version), removes. It refuses a slug that is registered elsewhere, and registers the rest of the file.
   */
  register(
    workspaceId: string,
    agentName: string,
    file: AnnouncedFile,
    nowMs: number,
    process?: Registering,
  ): Promise<Registration> {
    return this.#files.register({ workspaceId, agentName, process, nowMs }, file);
  }

  /** The statements that adapt the schedule to a new or changed endpoint. */
  #scheduling(row: CurrentEndpoint, nowMs: number): Statement<never>[] {
    const { id, workspaceId, endpoint } = this.#registered(row);
    return this.#schedules.statements({ id, workspaceId, expression: endpoint.schedule }, nowMs);
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
      registrant: registrantOf(row),
      exposure: exposureOf(row),
    };
  }
}

function makingEndpointsStale<Tag extends string>(
  unit: UnitOfWork<Tag>,
  { workspaceId }: AuditEntry,
): UnitOfWork<Tag> {
  return makingStale(unit, { kind: 'endpoints', workspaceId });
}
