// Files whose names and contents were chosen to do harm, into a command and out of it: decisions 72 and 76.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

const MIB = 1024 * 1024;
const LONGEST = 'n'.repeat(255);
/** Python, because these names are hardly written in a shell. */
const LEAVE = `
import os, socket
os.chdir(os.environ["SVC_OUTPUT_DIR"])
names = [b"-rf", b"...", b" ", b"$(touch ran)", b"a\\nb", b"c\\x1b[31md", b"..\\\\..\\\\x", b"e\\xe2\\x80\\xaegpj.txt", b"\\xff\\xfe", b"n" * 255,
  b"con", b"<script>alert(1)<script>.html", b"%2e%2e%2fx", "f\\u0301".encode(), "\\u00e9".encode()]
for name in names:
  with open(name, "wb") as file: file.write(name)
os.mkdir("deep"); os.symlink("/etc", "deep/etc"); os.symlink("..", "up"); os.symlink("/proc/self/environ", "environ")
os.symlink("/dev/zero", "zero"); os.link("-rf", "hard"); os.mkfifo("pipe"); socket.socket(socket.AF_UNIX).bind("socket")
`;

let programs: TemporaryFolder;
let world: HubWorld;
let agent: RealAgent;
beforeAll(async () => {
  programs = await temporaryFolder();
  await Bun.write(join(programs.path, 'leave.py'), LEAVE);
  world = await hubWorld();
  agent = await realAgent(world, [
    { name: 'leave', command: `python3 ${join(programs.path, 'leave.py')}`, artifacts: ['**'] },
    {
      name: 'sum',
      command: 'stat -c %s {{pack}}; sha256sum < {{pack}}; basename {{pack}}',
      args: [{ name: 'pack', type: 'file', required: true, accept: ['application/gzip'] }],
    },
  ]);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await programs[Symbol.asyncDispose]();
});

interface Item {
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly url?: string;
}

test('names and links that a command leaves lead nowhere, on the hub and where they are downloaded', async () => {
  await using folder = await temporaryFolder();
  const called = (await (await world.call('leave')).json()) as { execution_id: string; exit_code: number };
  expect(called).toMatchObject({ exit_code: 0 });
  const { execution_id: id } = called;
  const { items } = (await (await world.manage(`/executions/${id}/artifacts`)).json()) as { items: Item[] };
  const kept = items.filter(({ state }) => state === 'stored');
  expect(new Set(kept.map(({ name }) => name))).toEqual(
    new Set([
      ...['-rf', '...', ' ', '$(touch ran)', LONGEST, 'con', '<script>alert(1)<script>.html', '%2e%2e%2fx'],
      ...['f\u0301', '\u00e9', 'hard'],
    ]),
  );
  const missing = items.filter(({ state }) => state === 'missing');
  expect(Object.fromEntries(missing.map(({ name, reason }) => [name, reason]))).toEqual({
    'a?b': 'its name has characters that are not kept',
    'c?[31md': 'its name has characters that are not kept',
    '..?..?x': 'its name has characters that are not kept',
    'e?gpj.txt': 'its name has characters that are not kept',
    '??': 'its name has characters that are not kept',
    'deep/etc': 'it is a symbolic link',
    up: 'it is a symbolic link',
    environ: 'it is a symbolic link',
    zero: 'it is a symbolic link',
    pipe: 'it is not a regular file',
    socket: 'it is not a regular file',
  });
  // The hub has them under numbers.
  const stored = readdirSync(join(world.dataDir, 'artifacts', id));
  expect(stored.every((name) => /^\d+$/.test(name))).toBe(true);
  for (const { name, url = '' } of kept) {
    const text = await (await world.manage(url.slice(world.hub.baseUrl.length))).text();
    expect(text).toBe(name === 'hard' ? '-rf' : name);
  }
  for (const path of [
    '../../../svc.db',
    '..%2f..%2f..%2fsvc.db',
    '%2fetc%2fpasswd',
    '%00',
    '%252e%252e%252fx',
  ])
    expect([path, (await world.manage(`/executions/${id}/artifacts/${path}`)).ok]).toEqual([
      path,
      path.startsWith('%25'),
    ]);
  const env = { SVC_API_KEY: world.start.apiKey, SVC_BASE_URL: world.hub.hubUrl };
  const svc = (...args: string[]) => runSvc(args, { cwd: folder.path, env });
  expect(await svc('artifacts', id, '--all', 'out')).toMatchObject({ exitCode: 0 });
  expect(readdirSync(folder.path)).toEqual(['out']);
  expect(readdirSync(join(folder.path, 'out')).toSorted()).toEqual(kept.map(({ name }) => name).toSorted());
  // The log names what is missing, without a character that changes a terminal.
  const { exitCode, stderr } = await svc('logs', id);
  expect([exitCode, stderr.split('\n').length]).toEqual([0, missing.length + 1]);
  expect(stderr).toContain('deep/etc is missing: it is a symbolic link\n');
  expect(stderr).not.toContain('\u001b');
});

test('an archive that grows a thousandfold is only its bytes', async () => {
  const inner = gzipSync(Buffer.alloc(64 * MIB));
  const bomb = gzipSync(Buffer.concat(Array.from({ length: 32 }, () => inner)));
  const form = new FormData();
  form.append('pack', new Blob([bomb], { type: 'text/plain' }), '../../bomb.gz');
  const called = await world.call('sum', { method: 'POST', body: form });
  const { output } = (await called.json()) as { output: string };
  const sha256 = createHash('sha256').update(bomb).digest('hex');
  expect(output).toBe(`${bomb.length}\n${sha256}  -\npack.gz\n`);
});
