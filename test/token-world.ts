import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import type { EndpointYaml } from './config-text.ts';
import type { HubWorld } from './hub-world.ts';
import { hello, ScriptedAgent, type ScriptedOptions } from './scripted-agent.ts';

/** Helpers for tests of agent tokens and secrets, as the owner of a workspace. */
export interface Owner {
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  makeToken(more?: object): Promise<{ id: string; token: string }>;
  setSecret(name: string, more?: object): Promise<unknown>;
  grants(state?: string): Promise<Grant[]>;
  decide(grant: Grant, decision: 'allow' | 'refuse'): Promise<Record<string, unknown>>;
  /** The answer of a call, with its status. */
  called(slug: string, init?: RequestInit): Promise<Record<string, unknown>>;
  /** The entries of an action in the audit log, the newest first. */
  audited(action: string): Promise<{ details: Record<string, unknown>; ip: string | null }[]>;
}

export interface Grant {
  readonly secret: string;
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly question: string;
}

export const SECRET_VALUE = 'correct horse battery staple';

export function ownerOf(world: HubWorld): Owner {
  const ask: Owner['ask'] = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await world.manage(path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return { http: response.status, ...(text === '' ? {} : (JSON.parse(text) as object)) };
  };
  return {
    ask,
    makeToken: async (more = {}) =>
      (await ask('POST', '/agent-tokens', { name: 'a token', ...more })) as never,
    setSecret: (name, more = {}) => ask('PUT', `/secrets/${name}`, { value: SECRET_VALUE, ...more }),
    grants: async (state) =>
      (await ask('GET', `/secret-grants?limit=100${state ? `&state=${state}` : ''}`)).items as Grant[],
    decide: ({ secret, kind, id }, decision) => ask('POST', '/secret-grants', { secret, kind, id, decision }),
    async called(slug, init) {
      const response = await world.call(slug, init);
      return { http: response.status, ...((await response.json()) as object) };
    },
    audited: async (action) => (await ask('GET', `/audit?action=${action}`)).items as never,
  };
}

/** Connects with a token; whatever the agent says comes from `options`. */
export function connect(
  world: HubWorld,
  token: string,
  options: Partial<ScriptedOptions> & { endpoints: readonly EndpointYaml[] },
): ReturnType<typeof ScriptedAgent.connect> {
  return ScriptedAgent.connect({
    instance: crypto.randomUUID(),
    ...options,
    hubUrl: world.hub.hubUrl,
    token,
  });
}

/** The refusal of a hello: the sentence that the agent gets. */
export async function refusalOf(
  world: HubWorld,
  token: string,
  options: Partial<ScriptedOptions> = {},
): Promise<string | undefined> {
  await using agent = await ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token });
  agent.say(hello({ endpoints: [], instance: crypto.randomUUID(), ...options }));
  const received = await Promise.race([
    agent.receive('welcome').then(
      () => undefined,
      () => undefined,
    ),
    agent.receive('error').then(
      ({ message }) => message,
      () => undefined,
    ),
  ]);
  if (received !== undefined && (await agent.closed) !== CLOSE_CODES.name_refused)
    throw new Error('refused for another reason than its name');
  return received;
}
