import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { makingStale, type UnitOfWork } from '../../platform/db/unit/statement.ts';
import { slugsOf } from '../../workspaces/store/slugs.ts';
import type {
  PipelineDraft,
  PipelineVersion,
  PipelineVersionHead,
  RegisteredPipeline,
} from '../pipeline-ports.ts';
import { createdRow, pipelineHeadOf, pipelineVersionOf, registeredOf, versionRow } from './pipeline-rows.ts';
import { pipelineQueries } from './queries.ts';

/** Pipelines with their current definitions. Every earlier version stays readable. */
export class Pipelines {
  readonly #database: Database;
  readonly #auditWriter: Pick<AuditWriter, 'commit'>;
  readonly #queries: ReturnType<typeof pipelineQueries>;
  readonly #slugs: ReturnType<typeof slugsOf>;

  constructor(database: Database, auditWriter: Pick<AuditWriter, 'commit'>) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#queries = pipelineQueries(database);
    this.#slugs = slugsOf(database);
  }

  async find(workspaceId: string, slug: string): Promise<RegisteredPipeline | undefined> {
    const row = await firstRow(this.#database, this.#queries.bySlug({ workspace_id: workspaceId, slug }));
    return row && registeredOf(row);
  }

  async byId(id: string): Promise<RegisteredPipeline | undefined> {
    const row = await firstRow(this.#database, this.#queries.byId({ id }));
    return row && registeredOf(row);
  }

  async list(workspaceId: string): Promise<RegisteredPipeline[]> {
    const rows = await this.#database.reader.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(registeredOf);
  }

  async create(id: string, draft: PipelineDraft, entry: AuditEntry): Promise<'stored' | 'slug_taken'> {
    const row = createdRow(id, draft, entry);
    const { create, addVersion } = this.#queries;
    const unit = [this.#slugs.claim(row), create(row), addVersion(versionRow(row))];
    return await this.#auditWriter.commit(makingPipelinesStale(unit, entry), entry);
  }

  /** Stores the next version with its audit entry, by compare-and-set on the version that was decided on. */
  async change(
    from: RegisteredPipeline,
    to: PipelineDraft,
    entry: AuditEntry,
  ): Promise<'stored' | 'slug_taken' | 'overtaken'> {
    const row = {
      ...createdRow(from.id, to, entry),
      source: from.source,
      registered_by: from.registeredBy ?? null,
      version: from.version + 1,
    };
    const { change, addVersion } = this.#queries;
    const old = { workspace_id: from.workspaceId, slug: from.pipeline.slug };
    const renaming = to.slug === old.slug ? [] : [this.#slugs.release(old), this.#slugs.claim(row)];
    const unit = [...renaming, change({ ...row, from_version: from.version }), addVersion(versionRow(row))];
    return await this.#auditWriter.commit(makingPipelinesStale(unit, entry), entry);
  }

  /** Removes the pipeline with an audit entry, also by compare-and-set. Its versions stay. */
  async remove(
    { id, workspaceId, version, pipeline: { slug } }: RegisteredPipeline,
    entry: AuditEntry,
  ): Promise<'stored' | 'overtaken'> {
    const unit = [
      this.#queries.remove({ id, version }),
      this.#slugs.release({ workspace_id: workspaceId, slug }),
    ];
    return await this.#auditWriter.commit(makingPipelinesStale(unit, entry), entry);
  }

  /** All versions, newest first, also after the pipeline's removal. */
  async versions(pipelineId: string): Promise<PipelineVersionHead[]> {
    const rows = await this.#database.reader.rows(this.#queries.versions({ pipeline_id: pipelineId }));
    return rows.map(pipelineHeadOf);
  }

  async version(pipelineId: string, version: number): Promise<PipelineVersion | undefined> {
    const row = await firstRow(this.#database, this.#queries.version({ pipeline_id: pipelineId, version }));
    return row && pipelineVersionOf(row);
  }
}

function makingPipelinesStale<Tag extends string>(
  unit: UnitOfWork<Tag>,
  { workspaceId }: AuditEntry,
): UnitOfWork<Tag> {
  return makingStale(unit, { kind: 'pipelines', workspaceId });
}
