// deploy/Dockerfile, built without a registry, and the hubs of deploy/compose.yaml, run from it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NO_DOCKER } from '../containers/machine.ts';
import { freePort } from '../free-port.ts';
import { type NatsServer, startNats } from '../nats.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { hubsOf, readCompose, secondsOf } from './compose-file.ts';
import { deployText } from './deploy-files.ts';
import { Docker, runOptions } from './docker.ts';

setDefaultTimeout(300_000);

/** An image is built and moved about, half a gigabyte of it. */
const LONG = process.env.SVC_TEST_LONG !== undefined && NO_DOCKER === undefined;
const BINARY = 'dist/svc';

const stages = deployText('Dockerfile')
  .split(/^(?=FROM )/m)
  .slice(1);
const named = (name: string) =>
  stages.find((stage) => stage.startsWith('FROM') && stage.includes(` AS ${name}\n`));

test('the image runs the hub as a user of its own, asks it how it is, and keeps its data in a volume', () => {
  for (const line of [
    'USER svc',
    'ENTRYPOINT ["svc"]',
    'CMD ["hub"]',
    'VOLUME /var/lib/svc',
    'STOPSIGNAL SIGTERM',
  ])
    expect(named('base')).toContain(`\n${line}\n`);
  expect(named('base')).toMatch(/^HEALTHCHECK .* CMD \["svc", "health"\]$/m);
});

test('whether the binary is built in it or comes with it, the image is the same otherwise', () => {
  expect(named('prebuilt')).toStartWith(`FROM base AS prebuilt\nCOPY ${BINARY} /usr/local/bin/svc\n\n`);
  expect(stages.at(-1)).toBe(`FROM base\nCOPY --from=build /src/${BINARY} /usr/local/bin/svc\n`);
  expect(named('build')).toContain('npm ci && npm run build');
});

if (LONG)
  describe('hubs in containers', () => {
    const ports: number[] = [];
    const containers: string[] = [];
    let docker: Docker;
    let postgres: PostgresServer;
    let nats: NatsServer;
    beforeAll(async () => {
      if (!existsSync(join(import.meta.dir, '..', '..', BINARY))) throw new Error(`${BINARY}: npm run build`);
      docker = await Docker.start();
      await docker.importDebian('debian:12-slim');
      await docker.build('prebuilt', 'svc');
      postgres = await startPostgres();
      const compose = readCompose();
      const broker = deployText('nats/nats.conf').replace(/^(?:listen|http): .*$/gm, '');
      nats = await startNats(
        broker.replace('$NATS_PASSWORD', compose.services.nats?.environment.NATS_PASSWORD ?? ''),
      );
      // In the machine's network: what differs from Compose are addresses, and nothing else.
      const databaseUrl = await postgres.createDatabase();
      for (const [name, hub] of hubsOf(compose)) {
        const port = await freePort();
        const own = {
          DATABASE_URL: databaseUrl,
          NATS_URL: hub.environment.NATS_URL?.replace('nats:4222', nats.address) ?? '',
          SVC_PORT: String(port),
        };
        const options = runOptions({ ...hub, environment: { ...hub.environment, ...own } });
        ports.push(port);
        containers.push(name);
        await docker.run('run', '--detach', '--name', name, '--network', 'host', ...options, hub.image);
        await docker.logged(name, /the hub listens/);
      }
    });
    afterAll(async () => {
      for (const name of containers) await docker.run('rm', '--force', '--volumes', name);
      await docker?.[Symbol.asyncDispose]();
      await nats?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
    });

    test('answer, and know of each other', async () => {
      for (const port of ports) {
        const url = `http://127.0.0.1:${port}`;
        expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', store: 'ok' });
        expect(await (await fetch(`${url}/ready`)).json()).toEqual({ ready: true, bus: 'ok' });
        const others = `svc_bus_other_hubs ${ports.length - 1}\n`;
        while (!(await (await fetch(`${url}/metrics`)).text()).includes(others)) await Bun.sleep(50);
      }
    });

    test('are healthy in the eyes of Docker', async () => {
      const health = (name: string) => docker.run('inspect', '--format', '{{.State.Health.Status}}', name);
      for (const name of containers) while ((await health(name)) !== 'healthy') await Bun.sleep(200);
    });

    test('are a user without rights, on a file system that cannot be written', async () => {
      const [name = ''] = containers;
      expect(await docker.run('exec', name, 'id', '-u')).toBe('8787');
      expect(await docker.run('exec', name, 'grep', 'CapPrm\\|CapBnd', '/proc/1/status')).toMatch(
        /^CapPrm:\s0+\nCapBnd:\s0+$/,
      );
      const writing = docker.run('exec', '--user', '0', name, 'touch', '/usr/local/bin/other');
      expect(await writing.catch((error: Error) => error.message)).toContain('Read-only file system');
    });

    test('have an operator who signs a user in', async () => {
      const link = await docker.run(
        'exec',
        containers[0] ?? '',
        'svc',
        'admin',
        'sign-in-link',
        'ada@example.com',
      );
      expect(link).toStartWith('https://svc.example.com/login/');
      const token = link.slice(link.lastIndexOf('/') + 1);
      const answer = await fetch(`http://127.0.0.1:${ports[1]}/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
      expect(answer.status).toBe(200);
    });

    test('stop on SIGTERM, within their grace period', async () => {
      for (const [name, hub] of hubsOf(readCompose())) {
        await docker.run('stop', '--time', String(secondsOf(hub.stop_grace_period ?? '10s')), name);
        expect(await docker.run('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
      }
    });
  });
