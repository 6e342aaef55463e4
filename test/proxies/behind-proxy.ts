import { join } from 'node:path';
import type { EndpointYaml } from '../config-text.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Latch } from './latch.ts';
import { type ProxyKind, type RunningProxy, startProxy } from './proxy.ts';
import { Relay } from './relay.ts';

/**
 * A hub behind a real proxy, and real agents.
 *
 * The proxy has two hubs configured. Both are this one, each behind a relay of its own: requests that the proxy sends to the
 * second hub after the first has died run here, too, and are counted.
 */
export interface BehindProxy extends AsyncDisposable {
  readonly hub: HubWorld;
  readonly wires: readonly [Relay, Relay];
  readonly proxy: RunningProxy;
  /** It has come through the proxy, under its own name. */
  readonly agent: RealAgent;
  /** Of commands that print `first`, wait for their latch, and print `last`. */
  latch(name: WaitingName): Latch;
  /** How often it was started. */
  runs(name: WaitingName): Promise<number>;
  /** The files that the endpoints of `LEFT` create when they begin, and when they get SIGTERM. */
  trace(name: (typeof LEFT)[number], what: 'begun' | 'terminated'): string;
  /** Where an endpoint of the hub's own account is called. */
  pathOf(slug: string): string;
  /** With the key. */
  call(slug: string, init?: RequestInit): Promise<Response>;
  ask(path: string, init?: RequestInit): Promise<Response>;
}

const WAITING = ['stream', 'get-dies', 'post-dies', 'stream-dies'] as const;
export type WaitingName = (typeof WAITING)[number];
/** They end when their caller goes away. */
export const LEFT = ['left-buffered', 'left-stream'] as const;

/** Leaves a file of 5 MB, which the agent sends through the proxy. */
const LEAVES: EndpointYaml = {
  name: 'leaves',
  command: 'head -c 5000000 /dev/zero > "$SVC_OUTPUT_DIR/file"',
  artifacts: ['*'],
};

export async function behindProxy(kind: ProxyKind): Promise<BehindProxy> {
  const folder = await temporaryFolder();
  const inFolder = (name: string) => join(folder.path, name);
  const latches = new Map<WaitingName, Latch>();
  for (const name of WAITING) latches.set(name, await Latch.make(inFolder(name)));
  const hub = await hubWorld({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_RATE_LIMITS: 'public=2' } });
  const wires = [await Relay.to(hub.hub.port), await Relay.to(hub.hub.port)] as const;
  const proxy = await startProxy(kind, [wires[0].address, wires[1].address]);
  const waits = (name: WaitingName): EndpointYaml => ({
    name,
    command: `echo ran >> ${inFolder(`${name}-runs`)}\n${name === 'stream' ? `cat ${inFolder(name)}\n` : ''}echo first\ncat ${inFolder(name)}\necho last`,
  });
  const left = (name: string): EndpointYaml => ({
    name,
    on_disconnect: 'cancel',
    command: `trap 'touch ${inFolder(name)}-terminated; exit 1' TERM\ntouch ${inFolder(name)}-begun\nwhile :; do sleep 0.02; done`,
  });
  const through = { SVC_BASE_URL: proxy.url, NODE_EXTRA_CA_CERTS: proxy.caFile };
  const agent = await realAgent(
    hub,
    [waits('stream'), ...LEFT.map(left), { name: 'behind', command: 'echo behind' }, LEAVES],
    ['--name', 'behind'],
    through,
  );
  // This one stays when a wire breaks: what is sent a second time would run on it.
  const direct = await realAgent(hub, [
    ...WAITING.slice(1).map(waits),
    { name: 'hello', command: 'echo "Hello, {{name}}!"', args: [{ name: 'name', default: 'world' }] },
    { name: 'open', command: 'true', public: true },
  ]);
  const pathOf = (slug: string) => `/v1/${hub.start.username}/${slug}`;
  const ask = (path: string, init?: RequestInit) =>
    fetch(`${proxy.url}${path}`, { ...init, tls: { ca: Bun.file(proxy.caFile) } });
  return {
    hub,
    wires,
    proxy,
    agent,
    pathOf,
    ask,
    trace: (name, what) => inFolder(`${name}-${what}`),
    latch: (name) => latches.get(name) as Latch,
    async runs(name) {
      const file = Bun.file(inFolder(`${name}-runs`));
      return (await file.exists()) ? (await file.text()).split('\n').length - 1 : 0;
    },
    call(slug, init = {}) {
      const headers = { 'x-api-key': hub.start.apiKey, ...(init.headers as Record<string, string>) };
      return ask(pathOf(slug), { ...init, headers });
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await direct[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      for (const wire of wires) await wire[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
