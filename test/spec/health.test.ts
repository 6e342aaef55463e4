// `svc health`: what a container's health check asks, where there is no curl.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { HubProgram } from '../hub-program.ts';
import { runSvc } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

const health = (cwd: string, env: Record<string, string>, ...args: string[]) =>
  runSvc(['health', ...args], { cwd, env });

test('a hub that works is found where the environment says that it listens, and one that was killed is not', async () => {
  await using folder = await temporaryFolder();
  await using hub = await HubProgram.make(folder.path);
  await hub.start();
  const env = { SVC_PORT: String(hub.port), SVC_HOST: '0.0.0.0' };
  const well = await health(folder.path, env);
  expect(well).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(well.stdout)).toMatchObject({ status: 'ok', store: 'ok' });
  await hub.kill();
  const gone = await health(folder.path, env);
  expect(gone).toMatchObject({ exitCode: 1, stdout: '' });
  expect(gone.stderr).toContain(`no response from the hub at ${hub.url}/health: ECONNREFUSED`);
});

test('a hub that cannot store anything is not well, and what it says of that is shown', async () => {
  await using folder = await temporaryFolder();
  const body = { status: 'failing', version: '0.1.0', uptime_s: 7, store: 'the disk is full' };
  using hub = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json(body, { status: 503 }),
  });
  const failing = await health(folder.path, {}, '--port', String(hub.port));
  expect(failing.exitCode).toBe(1);
  expect(JSON.parse(failing.stdout)).toEqual(body);
  expect(failing.stderr).toContain('is unhealthy');
});
