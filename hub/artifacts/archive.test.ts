import { expect, test } from 'bun:test';
import { archiveOf } from './archive.ts';
import type { Artifact } from './artifact-ports.ts';

const artifact: Artifact = {
  ...{ executionId: 'e', id: 1, workspaceId: 'w', name: 'a.txt', size: 3, createdAtMs: 0 },
  ...{ state: 'stored', reason: undefined, sha256: undefined },
};

const archiveWith = (content: Blob) => new Response(archiveOf({ read: () => content }, [artifact]));

test('an archive has the bytes of its files', async () => {
  expect(await archiveWith(new Blob(['abc'])).text()).toContain('a.txtabc');
});

test('an archive breaks off at a file that lacks bytes', async () => {
  const read = await archiveWith(new Blob(['ab']))
    .text()
    .catch(({ message }: Error) => message);
  expect(read).toBe('the file 1 of e has 2 bytes, not 3');
});
