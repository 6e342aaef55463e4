import { planUploads } from '@svc/core/artifact/plan-uploads';
import type { ArtifactEnd, ArtifactPiece, ArtifactUploads, FoundArtifacts } from '@svc/core/artifact/upload';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Admitted } from '../agents/admit-agent.ts';
import { isHost } from '../agents/host-address.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import type { KnownHosts } from '../hosted/store/known-hosts.ts';
import { type FileStore, NotStorable } from '../platform/files/file-store.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { Clock } from '../platform/world.ts';
import type { AppendOrder } from './append-order.ts';
import type { Artifact } from './artifact-ports.ts';
import type { ByteChecks, StoredFile } from './byte-checks.ts';
import type { Artifacts } from './store/artifact-store.ts';

export interface ReceiveArtifactsDeps {
  readonly accounts: Accounts;
  readonly artifacts: Artifacts;
  readonly checks: ByteChecks;
  readonly clock: Clock;
  readonly files: FileStore;
  readonly knownAgents: KnownAgents;
  readonly knownHosts: Pick<KnownHosts, 'tokenOf'>;
  readonly ledger: Pick<ExecutionLedger, 'find'>;
  readonly mutex: KeyedMutex;
  /** Absent where other hubs get requests of the same upload. Then an agent sends one at a time. */
  readonly order: AppendOrder | undefined;
}

/** The requests of one file that are open at once. Each has a chunk in the memory of its agent. */
const REQUESTS = 2;

type Key = Pick<Artifact, 'executionId' | 'id'>;

/**
 * Records what an agent found, and says how much of each file is here. A repeated announcement continues: a file of the same name and
 * size keeps its bytes (decision 72, artifacts). A file for which the plan has no room is recorded as missing.
 */
export async function announceArtifacts(
  deps: ReceiveArtifactsDeps,
  { id: executionId, workspaceId }: Pick<Execution, 'id' | 'workspaceId'>,
  announced: FoundArtifacts,
  agent: { readonly sendsPieces: boolean; readonly sendsHeaders: boolean },
): Promise<ArtifactUploads> {
  const { accounts, artifacts, clock, files, mutex, order } = deps;
  const found = canSendTo(files, agent) ? announced : withoutFiles(announced);
  const workspace = await accounts.workspaceById(workspaceId);
  if (workspace === undefined) throw refuse('not_found', 'the workspace was deleted');
  // One at a time, so that two executions do not take the same space. Other hubs do not wait for this, so together they may exceed the
  // quota by what they receive at once.
  const plan = await mutex.take(`artifacts of ${workspaceId}`, async () => {
    const known = await artifacts.of(executionId);
    const freeBytes = await freeBytesOf(artifacts, workspace);
    const planned = planUploads(known, found, { freeBytes, plan: workspace.plan });
    const ended: Key[] = [];
    for (const { id, reason } of planned.givenUp) {
      const key = { executionId, id };
      // A comparison may have stored the file meanwhile: then its bytes stay.
      if (await artifacts.end(key, { reason })) ended.push(key);
    }
    const base = { executionId, workspaceId, sha256: undefined, createdAtMs: clock.nowMs() };
    await artifacts.add(planned.added.map((one) => ({ ...base, ...one })));
    return { ...planned, ended };
  });
  // Their room is free again, so their bytes must go now.
  for (const key of plan.ended) await files.remove(key);
  const isNew = new Set(plan.added.map(({ id }) => id));
  const way =
    files.upload === 'pieces'
      ? { piece_bytes: files.pieceBytes }
      : { requests: order === undefined ? 1 : REQUESTS };
  const uploads = plan.uploads.map(async ({ file, id, state }) => {
    if (state !== 'uploading') return { file, id, state, offset: 0 };
    const size = found.files[file]?.size ?? 0;
    const key = { executionId, id };
    // The first bytes report a folder that cannot be read.
    const offset = isNew.has(id) ? 0 : await files.received(key, size).catch(nothingIfNotStorable);
    order?.reached(nameOf(key), offset);
    return { file, id, state, offset, ...way };
  });
  return { uploads: await Promise.all(uploads) };
}

function canSendTo(files: FileStore, agent: Parameters<typeof announceArtifacts>[3]): boolean {
  return files.upload === 'append' || (agent.sendsPieces && (agent.sendsHeaders || !files.needsHeaders));
}

/** An agent of an earlier version sends its files to the hub, or without the headers that encrypt them. */
function withoutFiles({ files, missing }: FoundArtifacts): FoundArtifacts {
  const reason = 'its agent is of an earlier version, which cannot send files to this object store';
  return { files: [], missing: [...missing, ...files.map(({ name }) => ({ name, reason }))] };
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
  { artifacts, files, order }: ReceiveArtifactsDeps,
  key: Key,
  offset: number,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly offset: number }> {
  if (files.upload === 'pieces') throw refuse('version_conflict', 'this hub signs a URL for each piece');
  await order?.turn(nameOf(key), offset);
  const mostBytes = async () => {
    const { state, size } = await known(artifacts, key);
    return state === 'uploading' ? size : undefined;
  };
  const length = await files
    .append(key, offset, bytes, mostBytes)
    .catch((error: unknown) => giveUp({ artifacts, files }, key, error));
  if (length === undefined) throw refuse('version_conflict', 'the file here has another length');
  order?.reached(nameOf(key), length);
  return { offset: length };
}

function nameOf({ executionId, id }: Key): string {
  return `${executionId} ${id}`;
}

/** The URL for the piece that begins at `offset`. Refuses with `version_conflict` where no piece begins. */
export async function signPiece(
  { artifacts, files }: ReceiveArtifactsDeps,
  key: Key,
  offset: number,
): Promise<ArtifactPiece> {
  const { state, size } = await known(artifacts, key);
  if (files.upload !== 'pieces') throw refuse('version_conflict', 'this hub takes the bytes itself');
  if (state !== 'uploading' || offset >= size || offset % files.pieceBytes !== 0)
    throw refuse('version_conflict', 'no piece of the file begins there');
  return await files.signPiece(key, { offset, bytes: Math.min(files.pieceBytes, size - offset) });
}

async function known(artifacts: Artifacts, key: Key): Promise<Artifact> {
  const artifact = await artifacts.find(key);
  if (artifact === undefined)
    throw refuse('version_conflict', 'there is no such file: announce the files again');
  return artifact;
}

/** Records that this hub cannot store the file. The agent announces it again, learns that it is missing, and continues with the next. */
async function giveUp(
  { artifacts, files }: Pick<ReceiveArtifactsDeps, 'artifacts' | 'files'>,
  key: Key,
  error: unknown,
): Promise<never> {
  if (!(error instanceof NotStorable)) throw error;
  // The file stays if another comparison has stored it meanwhile.
  if (await artifacts.end(key, { reason: error.message })) await files.remove(key).catch(() => undefined);
  throw refuse('version_conflict', error.message);
}

/**
 * Ends an upload. Bytes with another hash than the agent sent are dropped, and the upload begins again. Refuses with `unavailable` while
 * the bytes of a large file are compared; the agent asks again.
 */
export async function endArtifact(
  deps: ReceiveArtifactsDeps,
  key: Key,
  { sha256, reason = 'its upload was given up' }: ArtifactEnd,
): Promise<{ readonly state: 'stored' | 'missing' }> {
  const { artifacts, clock, files, checks } = deps;
  const artifact = await known(artifacts, key);
  if (artifact.state === 'missing') return { state: 'missing' };
  if (artifact.state === 'stored') return sameAs(artifact, sha256);
  if (sha256 === undefined) {
    if (!(await artifacts.end(key, { reason })) && (await known(artifacts, key)).state === 'stored')
      throw refuse('version_conflict', 'the file is stored');
    await files.remove(key);
    return { state: 'missing' };
  }
  const check = checks.run(artifact, sha256, () => checkBytes(deps, artifact, sha256));
  return await within(clock, CHECK_MS, check);
}

/** Stays below the time after which an agent or a proxy gives a request up. */
const CHECK_MS = 20_000;

async function checkBytes(
  { artifacts, files }: ReceiveArtifactsDeps,
  { executionId, id, size }: Artifact,
  sha256: string,
): Promise<StoredFile> {
  const key = { executionId, id };
  const hasBytes = async () =>
    (await files.received(key, size)) === size && (await files.seal(key, size)) === sha256;
  const isWhole = await hasBytes().catch((error: unknown) => giveUp({ artifacts, files }, key, error));
  if (!isWhole) {
    // Another comparison may have stored the file meanwhile, here or at another hub. Then its pieces are gone, and it must stay.
    const now = await known(artifacts, key);
    if (now.state === 'stored') return sameAs(now, sha256);
    await files.remove(key);
    throw refuse('version_conflict', 'the bytes here are others than those that were sent');
  }
  // The upload may have ended meanwhile, here or at another hub.
  if (!(await artifacts.end(key, { sha256 }))) return sameAs(await known(artifacts, key), sha256);
  // Only a copy of the file, which goes with its execution if it cannot be removed now.
  if (files.upload === 'pieces') await files.removePieces(key).catch(() => undefined);
  return { state: 'stored' };
}

/** The value of the promise, which continues after the time. */
async function within<Value>(clock: Clock, ms: number, promise: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const forget = clock.at(clock.nowMs() + ms, () =>
    late.reject(refuse('unavailable', 'the bytes are still compared; ask again')),
  );
  return await Promise.race([promise, late.promise]).finally(forget);
}

/** The answer to a repeated end. */
function sameAs({ state, sha256 }: Artifact, sent: string | undefined): StoredFile {
  if (state !== 'stored') throw refuse('version_conflict', 'the upload of the file was given up');
  if (sent === sha256) return { state: 'stored' };
  throw refuse('version_conflict', 'the file is stored with other bytes');
}

/**
 * The execution, if it runs on an agent with this token, or is lost: an agent that was away for too long comes back with its files, and
 * then with the proof of its end. Others do not learn whether it exists.
 */
export async function executionOfAgent(
  deps: Pick<ReceiveArtifactsDeps, 'ledger' | 'knownAgents' | 'knownHosts'>,
  { token }: Admitted,
  executionId: string,
): Promise<Execution> {
  const execution = await deps.ledger.find(executionId);
  const isOpen = execution?.state === 'running' || execution?.state === 'lost';
  if (!isOpen || (await ownerOf(deps, token, execution)) !== token.id)
    throw refuse('execution_not_open', 'no execution of this agent is open under this id');
  return execution;
}

/** The token of the process that runs an execution; undefined: the process is of another kind. A host serves all workspaces. */
async function ownerOf(
  { knownAgents, knownHosts }: Pick<ReceiveArtifactsDeps, 'knownAgents' | 'knownHosts'>,
  token: Admitted['token'],
  { workspaceId, agentName, agentInstance }: Execution,
): Promise<string | undefined> {
  if (agentInstance === undefined || isHost(token) !== (agentName === HOSTED_AGENT)) return undefined;
  if (isHost(token)) return await knownHosts.tokenOf(agentInstance);
  return token.workspaceId === workspaceId
    ? await knownAgents.tokenOf(workspaceId, agentInstance)
    : undefined;
}
