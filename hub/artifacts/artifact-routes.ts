import { ARTIFACT_LIMITS } from '@svc/core/artifact/limits';
import { PIECE_HEADERS_HEADER, UPLOADS_HEADER, UPLOADS_PIECES } from '@svc/core/artifact/upload';
import { hasEnded } from '@svc/core/execution/state';
import { RecentMap } from '@svc/core/recent-map';
import { refuse } from '@svc/core/refusal';
import type { Admitted } from '../agents/admit-agent.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { visible } from '../executions/http/execution-routes.ts';
import type { Handlers } from '../http/handler.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import { time } from '../platform/http/json-response.ts';
import { archiveOf } from './archive.ts';
import { type Artifact, UPLOAD_UNFINISHED } from './artifact-ports.ts';
import {
  announceArtifacts,
  appendToArtifact,
  endArtifact,
  executionOfAgent,
  type ReceiveArtifactsDeps,
  signPiece,
} from './receive-artifacts.ts';

interface ArtifactRoutesDeps extends ReceiveArtifactsDeps {
  readonly ledger: ExecutionLedger;
  readonly settings: { readonly baseUrl: string };
}

type Routes = Pick<
  Handlers,
  | 'listArtifacts'
  | 'readArtifact'
  | 'readArtifactArchive'
  | 'announceArtifacts'
  | 'appendArtifact'
  | 'signArtifactPiece'
  | 'endArtifact'
>;

/** Hundreds of chunks of one file come in this time. The record of the file is read for each of them. */
const CHECKED_MS = 1_000;
const CHECKS_KEPT = 1_000;

/** Files of executions, for readers, and for the agents that send them. */
export function artifactRoutes(deps: ArtifactRoutesDeps): Routes {
  const lastChecked = new RecentMap<string, number>(CHECKS_KEPT);
  const refuseOthers = async (admitted: Admitted, executionId: string) => {
    const name = `${admitted.token.id} ${executionId}`;
    const nowMs = deps.clock.nowMs();
    if ((lastChecked.get(name) ?? Number.NEGATIVE_INFINITY) > nowMs - CHECKED_MS) return;
    await executionOfAgent(deps, admitted, executionId);
    lastChecked.set(name, nowMs);
  };
  return {
    async listArtifacts({ caller, parameters: { id }, query: { token } }) {
      const { state } = await visible(deps, caller, id, token);
      const recorded = (await deps.artifacts.of(id)).map((one) => (hasEnded(state) ? asEnded(one) : one));
      const all = await asTheyAre(deps, id, recorded);
      return { items: all.map((one) => describeArtifact(one, urlOf(deps, one, token))) };
    },
    async readArtifact({ request, caller, parameters: { id, artifact: name }, query: { token } }) {
      await visible(deps, caller, id, token);
      const artifact = (await deps.artifacts.of(id)).find(
        (one) => one.name === name && one.state === 'stored',
      );
      if (artifact === undefined) throw refuse('not_found', 'the execution has no such file');
      await refuseIncomplete(deps, id, [artifact]);
      return fileResponse(request, artifact, deps.files);
    },
    async readArtifactArchive({ request, caller, parameters: { id }, query: { token } }) {
      await visible(deps, caller, id, token);
      const stored = (await deps.artifacts.of(id)).filter(({ state }) => state === 'stored');
      if (stored.length === 0) throw refuse('not_found', 'the execution has no files');
      await refuseIncomplete(deps, id, stored);
      const headers = { ...attachment(`${id}.zip`), 'Content-Type': 'application/zip' };
      return new Response(request.method === 'HEAD' ? null : archiveOf(deps.files, stored), { headers });
    },
    async announceArtifacts({ request, admitted, parameters: { id }, body }) {
      const sendsPieces = request.headers.get(UPLOADS_HEADER) === UPLOADS_PIECES;
      const sendsHeaders = request.headers.has(PIECE_HEADERS_HEADER);
      const execution = await executionOfAgent(deps, admitted, id);
      return await announceArtifacts(deps, execution, body, { sendsPieces, sendsHeaders });
    },
    async appendArtifact({ request, admitted, parameters: { id, number }, query: { offset = '0' } }) {
      await refuseOthers(admitted, id);
      const length = Number(
        request.headers.get('content-length') ?? (request.body && Number.POSITIVE_INFINITY),
      );
      if (!(length <= ARTIFACT_LIMITS.chunkBytes))
        throw refuse(
          'payload_too_large',
          `at most ${ARTIFACT_LIMITS.chunkBytes} bytes at once, with their length`,
        );
      const key = { executionId: id, id: Number(number) };
      return await appendToArtifact(deps, key, Number(offset), request.body ?? nothing());
    },
    async signArtifactPiece({ admitted, parameters: { id, number }, query: { offset = '0' } }) {
      await executionOfAgent(deps, admitted, id);
      return await signPiece(deps, { executionId: id, id: Number(number) }, Number(offset));
    },
    async endArtifact({ admitted, parameters: { id, number }, body }) {
      await executionOfAgent(deps, admitted, id);
      return await endArtifact(deps, { executionId: id, id: Number(number) }, body);
    },
  };
}

async function refuseIncomplete(
  { files }: ArtifactRoutesDeps,
  executionId: string,
  artifacts: readonly Artifact[],
): Promise<void> {
  if ((await files.incomplete(executionId, sizesOf(artifacts))).length === 0) return;
  throw refuse(
    'unavailable',
    'this hub does not have the file; ask its operator to check where artifacts are stored',
  );
}

function sizesOf(artifacts: readonly Artifact[]): ReadonlyMap<number, number> {
  return new Map(artifacts.map(({ id, size }) => [id, size]));
}

/**
 * The records, but a stored file whose bytes are not where they were is missing. The record stays as it is: an operator may bring the
 * bytes back. A store that does not answer shows nothing about its files.
 */
async function asTheyAre(
  { files }: ArtifactRoutesDeps,
  executionId: string,
  all: readonly Artifact[],
): Promise<readonly Artifact[]> {
  const stored = all.filter(({ state }) => state === 'stored');
  if (stored.length === 0) return all;
  const gone = new Set(await files.incomplete(executionId, sizesOf(stored)).catch(() => []));
  const reason = 'the hub stored it, and does not have all of its bytes any more';
  return all.map((one) =>
    one.state === 'stored' && gone.has(one.id) ? { ...one, state: 'missing', reason } : one,
  );
}

/** An empty body. */
async function* nothing(): AsyncGenerator<Uint8Array> {}

/** An upload that was unfinished when its execution ended stays unfinished; the sweep records it as missing. */
function asEnded(artifact: Artifact): Artifact {
  return artifact.state === 'uploading'
    ? { ...artifact, state: 'missing', size: 0, reason: UPLOAD_UNFINISHED }
    : artifact;
}

function urlOf({ settings }: ArtifactRoutesDeps, { executionId, name }: Artifact, token: string | undefined) {
  const path = name.split('/').map(encodeURIComponent).join('/');
  const query = token === undefined ? '' : `?token=${token}`;
  return `${settings.baseUrl}/executions/${executionId}/artifacts/${path}${query}`;
}

function describeArtifact(artifact: Artifact, url: string) {
  const { name, size, state, reason, sha256, createdAtMs } = artifact;
  return {
    name,
    size,
    type: typeOf(name),
    state,
    reason,
    sha256,
    url: state === 'stored' ? url : undefined,
    created_at: time(createdAtMs),
  };
}

/** By the ending of the name alone; no file is opened. */
function typeOf(name: string): string {
  return Bun.file(`/${name.split('/').at(-1)}`).type;
}

/** The extended value of RFC 8187. */
function headerText(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*!]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

/** A download that no browser shows in the origin of the hub. */
function attachment(fileName: string): Record<string, string> {
  return {
    'Content-Disposition': `attachment; filename*=UTF-8''${headerText(fileName)}`,
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cache-Control': 'private, no-cache',
  };
}

const RANGE = /^bytes=(\d*)-(\d*)$/;

/** The bytes of a file, or of one range of it; never shown in the origin of the hub. */
function fileResponse(request: Request, artifact: Artifact, files: FileStore): Response {
  const { name, size, sha256 = '' } = artifact;
  const etag = `"${sha256}"`;
  const headers: Record<string, string> = {
    ...attachment(name.split('/').at(-1) ?? 'file'),
    'Content-Type': typeOf(name),
    'Accept-Ranges': 'bytes',
    ETag: etag,
  };
  if (request.headers.get('if-none-match')?.includes(etag))
    return new Response(null, { status: 304, headers });
  // Hono would read the whole file to find the length of the answer to GET.
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...headers, 'Content-Length': String(size) } });
  const range = rangeOf(request, size, etag);
  if (range === undefined) return new Response(files.read(artifact, { from: 0, until: size }), { headers });
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } });
  const { from, until } = range;
  return new Response(files.read(artifact, range), {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${from}-${until - 1}/${size}` },
  });
}

/** Undefined for the whole file, also where a range has a form that may be ignored (RFC 9110, 14.2). */
function rangeOf({ headers }: Request, size: number, etag: string) {
  const [match, first = '', last = ''] = RANGE.exec(headers.get('range') ?? '') ?? [];
  const condition = headers.get('if-range');
  if (match === undefined || (first === '' && last === '') || (condition !== null && condition !== etag))
    return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const until = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return from < until ? { from, until } : ('unsatisfiable' as const);
}
