// `svc pipelines` against a real hub, and `pipelines:` in the files of svc validate, svc serve and svc agent.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Logins } from '../../cli/service/logins.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

let world: HubWorld;
let folder: TemporaryFolder;
let env: Record<string, string>;
beforeAll(async () => {
  world = await hubWorld();
  folder = await temporaryFolder();
  env = { XDG_CONFIG_HOME: folder.path, SVC_BASE_URL: world.hub.baseUrl };
  const login = {
    accessToken: world.start.accessToken,
    username: 'local',
    expiresAt: '2099-01-01T00:00:00.000Z',
  };
  new Logins(env).keep(world.hub.baseUrl, login);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const svc = (...args: string[]) => runSvc(args, { cwd: folder.path, env });

/** A file with one endpoint and these lines under `pipelines:`. */
async function written(name: string, ...lines: readonly string[]): Promise<string> {
  const head = ['version: 1', 'endpoints:', '  - {name: build, command: "true"}', 'pipelines:'];
  await Bun.write(join(folder.path, name), [...head, ...lines.map((line) => `  ${line}`), ''].join('\n'));
  return name;
}

const SHIP = [
  '- name: ship',
  '  nodes:',
  '    - {id: build, endpoint: build}',
  '    - {id: worked, expression: "{steps.build.exit_code} == 0", needs: [build]}',
  '    - {id: tell, endpoint: elsewhere, needs: [{node: worked, when: false}]}',
];

describe('a file with pipelines', () => {
  test('is validated with line and column, and warns about endpoints that are not in the file', async () => {
    const file = await written('svc.yaml', ...SHIP);
    expect(await svc('validate', file)).toMatchObject({
      exitCode: 0,
      stdout: [
        'warning  svc.yaml:9:30: endpoint "elsewhere" is not in this file; the hub must have it from elsewhere',
        'valid    svc.yaml: 1 endpoint and 1 pipeline, no problems',
        '',
      ].join('\n'),
    });
    const bad = await written('bad.yaml', '- name: ring', '  nodes: [{id: a, endpoint: build, needs: [a]}]');
    const { exitCode, stdout } = await svc('validate', bad, '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      2,
      { problems: [{ line: 6, column: 46, path: 'pipelines[0].nodes[0].needs[0]' }] },
    ]);
  });

  test('is served without them, with a notice at the start', async () => {
    const file = await written('served.yaml', ...SHIP.slice(0, 3));
    const server = startSvc(['serve', '--port', '0', '--host', '127.0.0.1', '-c', file], {
      cwd: folder.path,
    });
    try {
      const lines = new Lines(server.stdout);
      const [, url = ''] = /serves .* at (\S+)/.exec(await lines.find(/serves/)) ?? [];
      expect(await lines.find(/ship/)).toContain('"ship": the pipeline is not served; it takes a hub.');
      expect((await fetch(`${url}/ship`, { method: 'POST' })).status).toBe(404);
      expect((await fetch(`${url}/build`, { method: 'POST' })).status).toBe(200);
    } finally {
      server.kill();
      await server.exited;
    }
  });

  test('is registered by a real agent, whole with its endpoints, and followed when it changes', async () => {
    const file = await written('agent.yaml', ...SHIP);
    const agent = startSvc(['agent', '--state-dir', join(folder.path, 'state'), '-c', file], {
      cwd: folder.path,
      env: { ...env, SVC_TOKEN: world.start.agentToken },
    });
    try {
      const lines = new Lines(agent.stdout);
      expect(await lines.find(/ship +http/)).toContain(world.urlOf('ship'));
      await lines.find(
        /pipeline "ship" is not ready: nodes\[2\]\.endpoint: there is no endpoint "elsewhere"/,
      );

      const listed = await svc('pipelines');
      expect(listed.stdout.split('\n')).toEqual([
        `ship     ${world.urlOf('ship')}`,
        '         manual; 3 nodes; defined in svc.yaml of agent "default"',
        'PROBLEM  nodes[2].endpoint: there is no endpoint "elsewhere"; there are build',
        '',
      ]);
      const shown = await svc('pipelines', 'show', 'ship');
      expect(shown.stdout.split('\n').slice(3)).toEqual([
        'build    calls build  after trigger',
        'worked   if {steps.build.exit_code} == 0  after build',
        'tell     calls elsewhere  after worked (false)',
        '',
      ]);
      const json = await svc('pipelines', 'show', 'ship', '--json');
      expect(JSON.parse(json.stdout)).toMatchObject({ slug: 'ship', nodes: [{ id: 'build' }, {}, {}] });

      const { count } = lines;
      await written('agent.yaml', ...SHIP.slice(0, 3));
      await lines.find(/ changed: 1 endpoint and 1 pipeline/, count);
      await lines.find(/ship +http/, count);
      expect((await svc('pipelines', 'list', '--json')).stdout).toContain('"node_count":1');
    } finally {
      agent.kill();
      await agent.exited;
    }
  });

  test('that does not exist has no pipelines to show', async () => {
    const { exitCode, stderr } = await svc('pipelines', 'show', 'nothing');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('there is no such pipeline')]);
  });
});
