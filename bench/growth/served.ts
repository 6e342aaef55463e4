import { NOOP_SLUG, readyNoopAgent } from '../hub/noop.ts';
import { type Running, startHub } from '../peers/hub.ts';
import type { Question } from './asking.ts';
import type { FilledStore } from './store.ts';

/** A hub on a filled store, with an agent that does not spawn. */
export interface Served {
  readonly hub: Running;
  readonly call: Question;
  /** From the start of the hub to the first welcome of the agent. */
  readonly startMs: number;
  end(): Promise<void>;
}

/** The process of the agent runs before, as agents do when a hub starts again. */
export async function serve({ dataDir, env, account }: FilledStore): Promise<Served> {
  const agent = await readyNoopAgent(account.agentTokens[0] ?? '');
  const began = performance.now();
  const hub = await startHub({ dataDir, env });
  await agent.connect(hub.url);
  const startMs = performance.now() - began;
  return {
    hub,
    call: {
      url: `${hub.url}/v1/${account.username}/${NOOP_SLUG}`,
      headers: { 'x-api-key': account.apiKey },
    },
    startMs,
    async end() {
      await agent[Symbol.asyncDispose]();
      await hub.signal('SIGTERM');
    },
  };
}
