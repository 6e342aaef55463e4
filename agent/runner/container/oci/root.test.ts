import { afterEach, expect, test } from 'bun:test';
import { linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../mounting.ts';
import { unpackedRoot } from './root.ts';
import { HOST_IDS } from './runtime-config.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test.skipIf(process.getuid?.() !== 0)(
  'a file of three names belongs to the user of a container once',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-root-'));
    folders.push(folder);
    const made = join(folder, 'made');
    mkdirSync(made);
    writeFileSync(join(made, 'perl'), '#!/bin/sh', { mode: 0o755 });
    linkSync(join(made, 'perl'), join(made, 'perl5'));
    linkSync(join(made, 'perl'), join(made, 'perl5.36'));
    const tarFile = join(folder, 'image.tar');
    await runProgram(['tar', '--create', '--file', tarFile, '--directory', made, '.']);
    const root = await unpackedRoot({ tarFile, digest: 'd' }, join(folder, 'roots'));
    expect(lstatSync(root).uid).toBe(HOST_IDS.first);
    expect(lstatSync(join(root, 'perl5')).uid).toBe(HOST_IDS.first);
  },
);
