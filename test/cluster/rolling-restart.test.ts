// Hubs behind HAProxy are stopped and started again in turn: agents move first, callers finish, no call fails (decision 30,
// liveness).
import { expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { versionAt } from '../beside/beside.ts';
import type { EndpointYaml } from '../config-text.ts';
import { freePort } from '../free-port.ts';
import { hubWorld } from '../hub-world.ts';
import { MovableClock } from '../movable-clock.ts';
import { natsMissing, startNats } from '../nats.ts';
import { postgresMissing, startPostgres } from '../postgres.ts';
import { Latch } from '../proxies/latch.ts';
import { proxyMissing, startProxy } from '../proxies/proxy.ts';
import { readText } from '../read-text.ts';
import { realAgent } from '../real-agent.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { HubProcess } from './hub-process.ts';

const ROUNDS = process.env.SVC_TEST_LONG ? 5 : 1;
const CALLERS = 4;
const missing = postgresMissing ?? natsMissing ?? proxyMissing('haproxy');

test.skipIf(missing !== undefined)(
  'hubs are restarted in turn, and no caller notices',
  async () => {
    await using postgres = await startPostgres({ syncs: false });
    await using nats = await startNats();
    await using folder = await temporaryFolder();
    const env = {
      DATABASE_URL: await postgres.createDatabase(),
      SVC_MASTER_KEY: '7'.repeat(64),
      SVC_RATE_LIMITS: 'off',
      NATS_URL: `nats://${nats.address}`,
      SVC_DRAIN_S: '4',
    };
    // An account, a key and an agent token, made by a hub that then stops cleanly.
    const clock = new MovableClock(Date.now());
    const seed = await hubWorld({ env: { ...env, NATS_URL: '' }, clock });
    const { apiKey, username } = seed.start;
    for (const name of ['alone', 'pool']) await seed.tokenFor(name);
    await seed[Symbol.asyncDispose]();
    const hubs: HubProcess[] = [];
    for (const [index, name] of ['one', 'other'].entries()) {
      const data = join(folder.path, name);
      await mkdir(data);
      hubs.push(new HubProcess(await freePort(), data, env, versionAt(index).root));
    }
    await using one = hubs[0] as HubProcess;
    await using other = hubs[1] as HubProcess;
    await Promise.all([one.start(), other.start()]);
    await using proxy = await startProxy('haproxy', [one.address, other.address]);
    const latch = await Latch.make(join(folder.path, 'gate'));
    const through = { SVC_BASE_URL: proxy.url, NODE_EXTRA_CA_CERTS: proxy.caFile };
    const start = (name: string, more: readonly EndpointYaml[] = []) =>
      realAgent(
        seed,
        [{ name: `hello-${name}`, command: 'echo "Hello, {{n}}!"', args: [{ name: 'n' }] }, ...more],
        ['--name', name],
        through,
      );
    await using _alone = await start('alone', [
      { name: 'long', command: `echo first\ncat ${join(folder.path, 'gate')}\necho last` },
    ]);
    await using _first = await start('pool');
    await using _second = await start('pool');
    const call = (slug: string, accept: string, method = 'GET') =>
      fetch(`${proxy.url}/v1/${username}/${slug}`, {
        method,
        headers: { 'x-api-key': apiKey, accept },
        tls: { ca: Bun.file(proxy.caFile) },
      });

    let isOver = false;
    let calls = 0;
    const failures: string[] = [];
    const caller = async (at: number) => {
      for (let n = 0; !isOver; n += 1) {
        const slug = `hello-${at % 2 === 0 ? 'alone' : 'pool'}?n=${n}`;
        const format = n % 2 === 0 ? 'application/json' : 'text/event-stream';
        const method = n % 3 === 0 ? 'POST' : 'GET';
        const outcome = await call(slug, format, method).then(
          async (response) => `${response.status} ${await response.text()}`,
          (error: unknown) => String(error),
        );
        calls += 1;
        if (!outcome.startsWith('200') || !outcome.includes(`Hello, ${n}!`) || outcome.includes('"error"'))
          failures.push(`${method} ${slug}: ${outcome}`);
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, at) => caller(at));

    for (let round = 0; round < ROUNDS; round += 1)
      for (const hub of [one, other]) {
        const before = calls;
        const pieces = readText(
          await fetch(`http://${hub.address}/v1/${username}/long`, {
            headers: { 'x-api-key': apiKey, accept: 'text/event-stream' },
          }),
        );
        let text = '';
        while (!text.includes('first')) text += (await pieces.next()).value;
        const stopped = hub.stop();
        // It reports this first, and still serves.
        let ready = await hub.ready();
        while (ready.status === 200) ready = await hub.ready();
        expect(await ready.json()).toMatchObject({ ready: false, draining: true });
        // A caller is left at the hub, and all agents have gone: what theirs runs comes from where it is now.
        await until(async () => (await hub.agents()) === 0);
        await latch.open();
        for await (const piece of pieces) text += piece;
        expect(text).toContain('last');
        expect(text).toContain('"type":"done"');
        expect(await stopped).toBe(0);
        await hub.start();
        // The rule for restarting hubs: the next one is stopped only when the balancer uses this one again.
        await until(async () => (await hub.answeredCalls()) > 0);
        expect(calls).toBeGreaterThan(before);
      }
    isOver = true;
    await Promise.all(callers);
    expect([...new Set(failures.map((one) => one.replaceAll(/\d{2,}/g, 'N')))].slice(0, 20)).toEqual([]);
  },
  120_000 + 60_000 * ROUNDS,
);
