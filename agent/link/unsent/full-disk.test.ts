// Tests a disk that takes only a part of a message, by a limit on the file size of a separate process (setrlimit(2)).
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import { Segment } from './segment.ts';

const LIMIT_KIB = 8;
const PROGRAM = join(import.meta.dir, '..', 'fixtures', 'fill-segment.ts');

test('a message that the disk took only in part is no damage, whatever follows it', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, '0');
  const script = `trap '' XFSZ; ulimit -f ${(LIMIT_KIB * 1024) / 512}; exec "$@"`;
  const { stdout, stderr, exitCode } = Bun.spawnSync([
    ...['sh', '-c', script, 'sh', process.execPath, PROGRAM, path],
  ]);
  expect({ exitCode, stderr: String(stderr) }).toEqual({ exitCode: 0, stderr: '' });
  const { segment, messages, isDamaged } = Segment.open(path);
  segment.close();
  expect(isDamaged).toBe(false);
  expect(messages.map(({ bytes }) => bytes.length)).toEqual(JSON.parse(String(stdout)));
});
