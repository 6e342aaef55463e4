import { planUploads } from '@svc/core/artifact/plan-uploads';
import type { ArtifactEnd, ArtifactUploads, FoundArtifacts } from '@svc/core/artifact/upload';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Admitted } from '../agents/admit-agent.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { type FolderFiles, NotStorable } from '../platform/files/folder-files.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { Clock } from '../platform/world.ts';
import type { Artifact } from './artifact-ports.ts';
import type { Artifacts } from './store/artifact-store.ts';

export interface ReceiveArtifactsDeps {
  readonly accounts: Accounts;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly files: FolderFiles;
  readonly knownAgents: KnownAgents;
  readonly ledger: Pick<ExecutionLedger, 'find'>;
  readonly mutex: KeyedMutex;
}

type Key = Pick<Artifact, 'executionId' | 'id'>;

/**
 * Records what an agent found, and says how much of each file is here. A repeated announcement continues: a file of the same name and
 * size keeps its bytes (decision 72, artifacts). A file for which the plan has no room is recorded as missing.
 */
export async function announceArtifacts(
  deps: ReceiveArtifactsDeps,
  { id: executionId, workspaceId }: Pick<Execution, 'id' | 'workspaceId'>,
  found: FoundArtifacts,
): Promise<ArtifactUploads> {
  const { accounts, artifacts, clock, files, mutex } = deps;
  const workspace = await accounts.workspaceById(workspaceId);
  if (workspace === undefined) throw refuse('not_found', 'the workspace was deleted');
  // One at a time, so that two executions do not take the same space. Other hubs do not wait for this, so together they may exceed the
  // quota by what they receive at once.
  const plan = await mutex.take(`artifacts of ${workspaceId}`, async () => {
    const known = await artifacts.of(executionId);
    const freeBytes = await freeBytesOf(artifacts, workspace);
    const planned = planUploads(known, found, { freeBytes, plan: workspace.plan });
    for (const { id, reason } of planned.givenUp) await artifacts.end({ executionId, id }, { reason });
    const base = { executionId, workspaceId, sha256: undefined, createdAtMs: clock.nowMs() };
    await artifacts.add(planned.added.map((one) => ({ ...base, ...one })));
    return planned;
  });
  // Their room is free again, so their bytes must go now.
  for (const { id } of plan.givenUp) await files.remove({ executionId, id });
  const uploads = plan.uploads.map(async ({ file, id, state }) => {
    // The first bytes report a folder that cannot be read.
    const offset =
      state === 'uploading' ? await files.size({ executionId, id }).catch(nothingIfNotStorable) : 0;
    return { file, id, state, offset };
  });
  return { uploads: await Promise.all(uploads) };
}

function nothingIfNotStorable(error: unknown): number {
  if (error instanceof NotStorable) return 0;
  throw error;
}

async function freeBytesOf(artifacts: Artifacts, { id, plan }: Workspace): Promise<number> {
  const { artifactBytes } = PLAN_LIMITS[plan];
  return artifactBytes === undefined
    ? Number.POSITIVE_INFINITY
    : artifactBytes - (await artifacts.usedBytes(id));
}

/** Appends bytes to a file; returns how many it has. Refuses with `version_conflict` if it had another number. */
export async function appendToArtifact(
  { artifacts, files }: ReceiveArtifactsDeps,
  key: Key,
  offset: number,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly offset: number }> {
  const artifact = await artifacts.find(key);
  if (artifact === undefined) throw refuse('not_found', 'there is no such artifact');
  const isOpen = async () => (await artifacts.find(key))?.state === 'uploading';
  const length = await files
    .append(key, { offset, mostBytes: artifact.size }, bytes, isOpen)
    .catch((error: unknown) => giveUp({ artifacts, files }, key, error));
  if (length === undefined) throw refuse('version_conflict', 'the file here has another length');
  return { offset: length };
}

/** Records that this hub cannot store the file. The agent announces it again, learns that it is missing, and continues with the next. */
async function giveUp(
  { artifacts, files }: Pick<ReceiveArtifactsDeps, 'artifacts' | 'files'>,
  key: Key,
  error: unknown,
): Promise<never> {
  if (!(error instanceof NotStorable)) throw error;
  await artifacts.end(key, { reason: error.message });
  await files.remove(key).catch(() => undefined);
  throw refuse('version_conflict', error.message);
}

/** Ends an upload. Bytes with another hash than the agent sent are dropped, and the upload begins again. */
export async function endArtifact(
  { artifacts, files }: ReceiveArtifactsDeps,
  key: Key,
  { sha256, reason = 'its upload was given up' }: ArtifactEnd,
): Promise<{ readonly state: 'stored' | 'missing' }> {
  const artifact = await artifacts.find(key);
  if (artifact === undefined) throw refuse('not_found', 'there is no such artifact');
  if (artifact.state === 'missing') return { state: 'missing' };
  if (artifact.state === 'stored') return sameAs(artifact, sha256);
  if (sha256 === undefined) {
    await artifacts.end(key, { reason });
    await files.remove(key);
    return { state: 'missing' };
  }
  const hasBytes = async () =>
    (await files.size(key)) === artifact.size && (await files.seal(key)) === sha256;
  const isWhole = await hasBytes().catch((error: unknown) => giveUp({ artifacts, files }, key, error));
  if (!isWhole) {
    await files.remove(key);
    throw refuse('version_conflict', 'the bytes here are others than those that were sent');
  }
  await artifacts.end(key, { sha256 });
  return { state: 'stored' };
}

/** The answer to a repeated end. */
function sameAs({ sha256 }: Artifact, sent: string | undefined): { readonly state: 'stored' } {
  if (sent === sha256) return { state: 'stored' };
  throw refuse('version_conflict', 'the file is stored with other bytes');
}

/** The execution, if it runs on an agent with this token. Others do not learn whether it exists. */
export async function executionOfAgent(
  { ledger, knownAgents }: Pick<ReceiveArtifactsDeps, 'ledger' | 'knownAgents'>,
  { token }: Admitted,
  executionId: string,
): Promise<Execution> {
  const execution = await ledger.find(executionId);
  const isRunning = execution?.state === 'running' && execution.workspaceId === token.workspaceId;
  const owner =
    isRunning && execution.agentInstance !== undefined
      ? await knownAgents.tokenOf(token.workspaceId, execution.agentInstance)
      : undefined;
  if (execution === undefined || owner !== token.id)
    throw refuse('not_found', 'no execution of this agent runs under this id');
  return execution;
}
