import { createHash } from 'node:crypto';
import type { CallInput } from '@svc/core/api/call-body';
import type { Argument } from '@svc/core/endpoint/definition';
import { fileLimit } from '@svc/core/endpoint/file-arguments';
import { refuse } from '@svc/core/refusal';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Artifact } from './artifact-ports.ts';
import type { Artifacts } from './store/artifact-store.ts';

export interface ArtifactInputDeps {
  readonly artifacts: Pick<Artifacts, 'of'>;
  readonly files: Pick<FileStore, 'read'>;
}

/** An artifact that an argument gets as its file. */
export interface InputFile {
  readonly argument: string;
  readonly artifact: Artifact;
}

/** The file that an argument refers to. */
interface WantedFile {
  readonly argument: Pick<Argument, 'name' | 'maxBytes'>;
  readonly executionId: string;
  readonly name: string;
}

/** The path of an artifact in the API. The record of an execution has it as the value of the argument that got the file. */
export function artifactPath(executionId: string, name: string): string {
  return `/executions/${executionId}/artifacts/${name}`;
}

/** What `artifactPath` was made of; undefined for another text. */
export function readArtifactPath(path: string): { executionId: string; name: string } | undefined {
  const [, executionId, name] = /^\/executions\/([0-9a-f-]{36})\/artifacts\/(.+)$/s.exec(path) ?? [];
  return executionId === undefined || name === undefined ? undefined : { executionId, name };
}

/**
 * Finds the artifact for an argument (decision 82, artifacts as inputs of steps).
 *
 * @throws `not_found` unless the workspace has it whole; `payload_too_large`
 */
export async function findInputFile(
  { artifacts }: Pick<ArtifactInputDeps, 'artifacts'>,
  workspaceId: string,
  { argument, executionId, name }: WantedFile,
): Promise<InputFile> {
  const all = await artifacts.of(executionId);
  const artifact = all.find((one) => one.name === name && one.workspaceId === workspaceId);
  const about = `argument "${argument.name}"`;
  if (artifact === undefined)
    throw refuse('not_found', `${about}: the execution ${executionId} has no file "${name}"`);
  if (artifact.state !== 'stored') {
    const why = artifact.reason ?? 'its upload has not ended';
    throw refuse('not_found', `${about}: the file "${name}" of ${executionId} is missing: ${why}`);
  }
  const most = fileLimit(argument);
  if (artifact.size > most)
    throw refuse('payload_too_large', `${about}: the file "${name}" is larger than ${most} bytes`);
  return { argument: argument.name, artifact };
}

/**
 * A form with these files, as a caller would send it. The same files make the same bytes for the same execution, so any hub can send
 * the rest of a form that another hub has begun. It is cut off unless each file has the SHA-256 of its artifact.
 *
 * @param executionId of the execution that gets the files
 */
export function formOfArtifacts(
  files: Pick<FileStore, 'read'>,
  executionId: string,
  given: readonly InputFile[],
): CallInput {
  // Each artifact is older than the execution, so none can contain its random id on purpose.
  const boundary = `svc-${executionId}`;
  return {
    body: { getReader: () => readerOf(formBytes(files, boundary, given)) },
    maxBytes: Number.MAX_SAFE_INTEGER,
    sha256: undefined,
    form: `multipart/form-data; boundary=${boundary}`,
  };
}

function readerOf(bytes: AsyncGenerator<Uint8Array, undefined>) {
  return {
    read: async () => ({ value: (await bytes.next()).value }),
    cancel: async () => void (await bytes.return(undefined)),
  };
}

async function* formBytes(
  files: Pick<FileStore, 'read'>,
  boundary: string,
  given: readonly InputFile[],
): AsyncGenerator<Uint8Array, undefined> {
  const text = new TextEncoder();
  for (const { argument, artifact } of given) {
    // A quote is the only character of the name of an artifact that a header cannot have.
    const fileName = (artifact.name.split('/').at(-1) ?? '').replaceAll('"', '%22');
    const disposition = `form-data; name="${argument}"; filename="${fileName}"`;
    yield text.encode(
      `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`,
    );
    yield* contentOf(files, artifact);
    yield text.encode('\r\n');
  }
  yield text.encode(`--${boundary}--\r\n`);
  return undefined;
}

/** @throws `unavailable` where the store does not have the bytes of the artifact */
async function* contentOf(
  files: Pick<FileStore, 'read'>,
  { executionId, id, name, size, sha256 }: Artifact,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  if (size > 0) {
    const content = files.read({ executionId, id }, { from: 0, until: size });
    try {
      for await (const chunk of content instanceof Blob ? content.stream() : content) {
        hash.update(chunk);
        yield chunk;
      }
    } catch {
      throw refuse('unavailable', `the store does not give the file "${name}" of ${executionId}`);
    }
  }
  if (hash.digest('hex') !== sha256)
    throw refuse('unavailable', `the file "${name}" of ${executionId} has changed in the store`);
}
