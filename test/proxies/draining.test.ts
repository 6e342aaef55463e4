// A hub that is about to stop reports it in /ready: proxies that check it send nothing more, and no caller notices that it
// stops.
import { describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { PROXIES, proxyMissing, startProxy } from './proxy.ts';
import { Relay } from './relay.ts';

const ROW = 20;
/** The open source version knows only what happened to requests that it has sent. */
const ASKS = { nginx: false, haproxy: true, caddy: true } as const;
const LATER_MS = 1_000_000;

/** A hub; its uptime distinguishes it from the other one. */
async function hub(isOld: boolean): Promise<HubWorld> {
  const world = await hubWorld({ env: { SVC_DRAIN_S: '600' } });
  if (isOld) world.clock.move(LATER_MS);
  return world;
}

for (const kind of PROXIES)
  describe.skipIf(proxyMissing(kind) !== undefined)(kind, () => {
    test('leaves out a hub that is about to stop, without an answer that is lost', async () => {
      await using leaving = await hub(true);
      await using staying = await hub(false);
      await using one = await Relay.to(leaving.hub.port);
      await using other = await Relay.to(staying.hub.port);
      await using proxy = await startProxy(kind, [one.address, other.address]);
      /** Which of the two has answered. */
      const asked = async () => {
        const response = await fetch(`${proxy.url}/health`, { tls: { ca: Bun.file(proxy.caFile) } });
        expect(response.status).toBe(200);
        const { uptime_s } = (await response.json()) as { uptime_s: number };
        return uptime_s >= LATER_MS / 1000 ? 'leaving' : 'staying';
      };
      const untilRequested = async (which: string) => {
        while ((await asked()) !== which);
      };
      await untilRequested('leaving');
      await untilRequested('staying');
      const stopped = leaving.hub.stop({ graceMs: 60_000 });
      const ready = await fetch(`${leaving.hub.hubUrl}/ready`);
      expect([ready.status, await ready.json()]).toEqual([503, { ready: false, draining: true }]);
      expect(ready.headers.get('connection')).toBe('close');
      for (let inRow = 0; ASKS[kind] && inRow < ROW; ) inRow = (await asked()) === 'staying' ? inRow + 1 : 0;
      // Calls that still arrive are served to the end.
      expect((await fetch(`${leaving.hub.hubUrl}/health`)).status).toBe(200);
      await Promise.all([leaving.hub.stop({ graceMs: 0 }), stopped]);
      await one.die();
      for (let n = 0; n < ROW; n += 1) expect(await asked()).toBe('staying');
    });
  });
