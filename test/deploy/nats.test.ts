// deploy/nats/nats.conf: hubs may publish their subjects, and other users none.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { readHubConfig } from '@svc/hub/config';
import { NatsBus } from '@svc/hub/platform/bus/nats-bus';
import { natsMissing, startNats } from '../nats.ts';
import { filledInExample, hubsOf, readCompose } from './compose-file.ts';
import { deployText } from './deploy-files.ts';

setDefaultTimeout(60_000);

/** As `openssl rand -hex` makes once in a while: text like a number is a number in the language of NATS. */
const OF_DIGITS = '1'.repeat(48);

/** The broker and the hubs' settings as `deploy/compose.yaml` has them, with this password. */
async function broker(password: string) {
  const compose = readCompose({ ...filledInExample(), NATS_PASSWORD: password });
  const quoted = compose.services.nats?.environment.NATS_PASSWORD ?? '';
  // The addresses are those of a container, and taken on this machine.
  const config = deployText('nats/nats.conf')
    .replace(/^(?:listen|http): .*$/gm, '')
    .replace('$NATS_PASSWORD', quoted);
  const server = await startNats(config);
  const [[, hub] = expect.unreachable()] = hubsOf(compose);
  const env = {
    ...hub.environment,
    NATS_URL: hub.environment.NATS_URL?.replace('nats:4222', server.address),
  };
  return { server, settings: readHubConfig(env).nats ?? expect.unreachable() };
}

/** Settles when it is on the bus. */
async function joined(settings: ConstructorParameters<typeof NatsBus>[0], id: string): Promise<NatsBus> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const bus = new NatsBus(settings, {
    state: (isConnected, error) => (isConnected ? resolve() : reject(error)),
    bug: reject,
  });
  bus.join(id);
  await promise;
  return bus;
}

/** The broker's answer to a client that sends this, up to its answer to a PING or the end. */
async function answersOf(address: string, said: string): Promise<string> {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  socket.write(`${said}\r\nPING\r\n`);
  let text = '';
  for await (const part of socket) {
    text += String(part);
    if (text.includes('PONG')) break;
  }
  return text;
}

describe.skipIf(natsMissing !== undefined)(
  `the broker${natsMissing ? ` (skipped: ${natsMissing})` : ''}`,
  () => {
    test('lets hubs publish and send requests to each other', async () => {
      const { server, settings } = await broker(OF_DIGITS);
      await using _ = server;
      const [one, two] = [await joined(settings, 'one'), await joined(settings, 'two')];
      two.answer(() => Promise.resolve({ type: 'review' }));
      const { promise: received, resolve } = Promise.withResolvers<string>();
      two.subscribe('all', ({ type }, from) => resolve(`${type} from ${from}`));
      // Answered: so the broker has both subscriptions.
      const asked = () => one.ask('two', { type: 'review' }, 30_000);
      let answer = await asked();
      while (answer.kind === 'nobody') answer = await asked();
      expect(answer.kind).toBe('answered');
      one.publish('all', { type: 'review' });
      expect(await received).toBe('review from one');
      expect((await one.ask('three', { type: 'review' }, 30_000)).kind).toBe('nobody');
      await Promise.all([one.close(), two.close()]);
    });

    test('refuses a wrong password, and subjects that hubs do not use', async () => {
      const { server } = await broker(OF_DIGITS);
      await using _ = server;
      const asHub = `CONNECT {"verbose":false,"user":"hub","pass":"${OF_DIGITS}"}`;
      expect(await answersOf(server.address, 'CONNECT {"verbose":false}')).toContain(
        'Authorization Violation',
      );
      expect(await answersOf(server.address, `${asHub}\r\nPUB svc.1.all 0\r\n`)).not.toContain('-ERR');
      const others = await answersOf(server.address, `${asHub}\r\nPUB other 0\r\n\r\nSUB > 1`);
      expect(others).toContain('Permissions Violation for Publish to "other"');
      expect(others).toContain('Permissions Violation for Subscription to ">"');
    });
  },
);
