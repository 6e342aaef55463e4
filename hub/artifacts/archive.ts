import { archiveNames } from '@svc/core/artifact/archive-names';
import { makeZip } from 'client-zip';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Artifact } from './artifact-ports.ts';

/**
 * A ZIP archive of stored artifacts, without compression. It is made as it is read. It breaks off, and so has no end, where the store
 * does not have all bytes of a file.
 */
export function archiveOf(files: Pick<FileStore, 'read'>, artifacts: readonly Artifact[]): ReadableStream {
  const names = archiveNames(artifacts.map(({ name }) => name));
  return makeZip(
    artifacts.map((artifact, at) => ({
      name: names[at] ?? '',
      lastModified: new Date(artifact.createdAtMs),
      input: wholeFile(files, artifact),
    })),
  );
}

async function* wholeFile(
  files: Pick<FileStore, 'read'>,
  { executionId, id, size }: Artifact,
): AsyncGenerator<Uint8Array> {
  const content = files.read({ executionId, id }, { from: 0, until: size });
  let bytes = 0;
  for await (const chunk of content instanceof Blob ? content.stream() : content) {
    bytes += chunk.length;
    yield chunk;
  }
  if (bytes !== size) throw new Error(`the file ${id} of ${executionId} has ${bytes} bytes, not ${size}`);
}
