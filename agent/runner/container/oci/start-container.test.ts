import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startContainer } from './start-container.ts';

test('a container that could not be started leaves nothing of its configuration', () => {
  const stateFolder = mkdtempSync(join(tmpdir(), 'svc-start-'));
  try {
    const bundles = join(stateFolder, 'bundles');
    mkdirSync(bundles);
    const cgroups = { folders: [], pathOf: (id: string) => id, limit: () => {}, memoryKills: () => 0 };
    const starting = { program: join(stateFolder, 'nowhere'), argv0: 'crun', stateFolder, cgroups };
    expect(() => startContainer(starting, 'id', {})).toThrow('ENOENT');
    // A configuration that cannot be written: JSON cannot encode a bigint.
    const program = '/bin/true';
    expect(() => startContainer({ ...starting, program }, 'id', { number: 1n })).toThrow(TypeError);
    expect(readdirSync(bundles)).toEqual([]);
  } finally {
    rmSync(stateFolder, { recursive: true });
  }
});
