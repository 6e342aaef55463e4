// A hub is killed between its question and the answer, and the agent sends the request to another hub. Real processes.
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Approvals } from '../approvals.ts';
import { configText } from '../config-text.ts';
import { HubProgram } from '../hub-program.ts';
import type { HubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { signIn } from '../people.ts';
import { postgresMissing, startPostgres } from '../postgres.ts';
import { startSvc } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { textOf } from './agent-client.ts';
import { call } from './raw-agent.ts';

const onPostgres = test.skipIf(postgresMissing !== undefined);

onPostgres(
  'a call goes on at another hub when kill -9 ends the hub that asked for its approval',
  async () => {
    await using folder = await temporaryFolder();
    const path = (name: string) => join(folder.path, name);
    await using server = await startPostgres({ syncs: false });
    await using first = await HubProgram.make(path('first'), {
      DATABASE_URL: await server.createDatabase(),
      SVC_MASTER_KEY: '7'.repeat(64),
      SVC_OPERATORS: 'operator@localhost',
      SVC_RATE_LIMITS: 'off',
    });
    await first.start();
    await using second = await first.beside(path('second'));
    await second.start();
    const deploy = { name: 'deploy', command: 'touch ran', approval_required: true };
    await mkdir(path('agent'));
    await Bun.write(path('agent/svc.yaml'), configText([deploy]));
    const env = { SVC_TOKEN: second.agentToken, SVC_BASE_URL: second.url };
    const agent = startSvc(['agent', '--json', '--state-dir', path('state')], { cwd: path('agent'), env });
    try {
      await new Lines(agent.stdout).find(/"event":"connected"/);
      const at = ({ url }: HubProgram) => ({
        ...{ url: `${url}/mcp`, key: first.apiKey, capabilities: { elicitation: { url: {} } } },
      });
      const asked = await call(at(first), 'deploy', {});
      expect(asked.result?.resultType).toBe('input_required');
      await first.kill();

      const again = () => call(at(second), 'deploy', {}, { requestState: asked.result?.requestState });
      const waiting = again();
      const page = new URL(/http\S+?\/approve\/[\w-]+/.exec(JSON.stringify(asked))?.[0] ?? '').pathname;
      const world = { hub: { hubUrl: second.url }, manage: manageAt(second) } as unknown as HubWorld;
      const owner = await signIn(world, 'operator@localhost');
      const decideOn = await new Approvals(world).opened(page, owner.cookie);
      expect((await decideOn('approve')).status).toBe(200);
      expect(textOf((await waiting).result)).toContain('Exit code 0');
      expect(existsSync(path('agent/ran'))).toBe(true);
      // It ran once: the same request again gets the same execution.
      expect((await again()).result?._meta).toEqual((await waiting).result?._meta as object);
    } finally {
      agent.kill('SIGKILL');
      await agent.exited;
    }
  },
);

function manageAt({ url, accessToken }: HubProgram): HubWorld['manage'] {
  return (path, init) =>
    fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${accessToken}` } });
}
