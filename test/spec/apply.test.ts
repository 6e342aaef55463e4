// svc apply: a file becomes endpoints and pipelines of a hub, with the differences shown first.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';

let world: HubWorld;
let agent: RealAgent;
beforeAll(async () => {
  world = await hubWorld();
  agent = await realAgent(world, [{ name: 'own', command: 'echo own' }]);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const svc = (...args: string[]) =>
  runSvc(args, {
    cwd: world.dataDir,
    env: { SVC_BASE_URL: world.hub.baseUrl, SVC_ACCESS_TOKEN: world.start.accessToken },
  });
const apply = async (yaml: string, ...more: string[]) => {
  await Bun.write(join(world.dataDir, 'apply.yaml'), yaml);
  return await svc('apply', '-f', 'apply.yaml', ...more);
};

const FILE = `version: 1
endpoints:
  - name: greet
    command: echo hello {{who}}
    args:
      - name: who
        default: you
    timeout: 10
pipelines:
  - slug: twice
    trigger: { type: manual }
    nodes:
      - { id: a, endpoint: greet }
      - { id: b, endpoint: greet, needs: [a] }
`;

test('--dry-run shows what would be created, and creates nothing', async () => {
  const { stdout, exitCode } = await apply(FILE, '--dry-run');
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith('+ endpoint greet\n    command: echo hello {{who}}\n');
  expect(stdout).toContain('    timeout: 10\n    args: [{"name":"who","default":"you"}]\n+ pipeline twice\n');
  expect((await svc('endpoints', 'show', 'greet')).exitCode).toBe(2);
});

test('creates, then finds nothing to do, then changes only what differs and removes keys that are gone', async () => {
  expect(await apply(FILE)).toMatchObject({ exitCode: 0, stderr: '' });
  expect((await svc('call', 'twice')).stdout).toBe('a | hello you\nb | hello you\n');
  expect((await apply(FILE)).stdout).toBe('= endpoint greet\n= pipeline twice\n');
  const changed = FILE.replace('    timeout: 10\n', '')
    .replace('echo hello', 'echo hi')
    .replace(', needs: [a]', '');
  const { stdout } = await apply(changed, '--dry-run');
  expect(stdout).toStartWith(
    '~ endpoint greet\n    command: echo hello {{who}} -> echo hi {{who}}\n    timeout: 10 -> (none)\n~ pipeline twice\n',
  );
  const lines = (await apply(changed, '--json')).stdout.trimEnd().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    name: 'greet',
    action: 'change',
    changes: { timeout: { from: 10, to: null } },
  });
  expect((await svc('call', 'greet')).stdout).toBe('hi you\n');
  expect(JSON.parse((await svc('endpoints', 'show', 'greet', '--json')).stdout)).toMatchObject({
    timeout: 60,
  });
  expect((await apply(changed)).stdout).toBe('= endpoint greet\n= pipeline twice\n');
  await svc('endpoints', 'rollback', 'greet');
  expect((await svc('call', 'greet')).stdout).toBe('hello you\n');
});

test('refuses what stands in the file of an agent, and changes nothing else', async () => {
  const { stdout, stderr, exitCode } = await apply(`version: 1
endpoints:
  - { name: own, command: echo other }
  - { name: fresh, command: echo fresh }
`);
  expect(exitCode).toBe(2);
  expect(stdout).toStartWith(
    '! endpoint own  from the file of agent default\n    command: echo own -> echo other\n',
  );
  expect(stderr).toContain('nothing was changed');
  expect((await svc('endpoints', 'show', 'fresh')).exitCode).toBe(2);
});

test('lists every problem of the file', async () => {
  const { stderr, exitCode } = await apply('version: 1\nendpoints:\n  - name: X\n');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('apply.yaml:3:');
});

test('prints the warnings of the file and of the service, and finds a mistake of jq before anything is created', async () => {
  const file = `version: 1
endpoints:
  - name: open
    command: echo {{who}} {{code}}
    public: true
    approval_required: true
    args:
      - { name: who, default: you }
      - { name: code, type: code, default: x }
    alerts: [{ events: [execution.failed], target: $svc:HOOK }]
`;
  const { stdout, stderr, exitCode } = await apply(file);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('+ endpoint open\n')]);
  expect(stderr).toContain('warning  open: code: Code: whatever you type is run as a program');
  expect(stderr).toContain('warning  "open" is public and needs approval');
  expect(stderr).toContain(
    'warning  open: alerts are left out, because an agent with the file declares them',
  );
  const lines = (await apply(file.replace('echo', 'printf'), '--json')).stdout.trimEnd().split('\n');
  const warned = lines.map((line) => JSON.parse(line)).filter(({ warnings }) => warnings !== undefined);
  expect(warned).toEqual([
    {
      kind: 'file',
      name: 'apply.yaml',
      warnings: [expect.stringContaining('open: code'), expect.stringContaining('open: alerts')],
    },
    { kind: 'endpoint', name: 'open', warnings: [expect.stringContaining('"open" is public')] },
  ]);
  const mistaken = file.replace('name: open', 'name: odd\n    transform: { parse: json, select: ".a |" }');
  expect(await apply(mistaken)).toMatchObject({ exitCode: 2, stdout: '' });
});
