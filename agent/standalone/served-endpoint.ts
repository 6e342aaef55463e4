import { resolve } from 'node:path';
import { type Endpoint, METHODS, type Method } from '@svc/core/endpoint/definition';
import { type Refusal, refuse } from '@svc/core/refusal';

/** An endpoint, with the parts of a call that are known in advance. */
export interface ServedEndpoint {
  readonly endpoint: Endpoint;
  readonly methods: readonly Method[];
  /** The folder in which its command runs (decision 12, the environment of a command). */
  readonly cwd: string;
  /** The absolute folder of the config file. */
  readonly folder: string;
  /** The refusal of every call, if the endpoint needs a hub (reference 8, decision 51, the standalone server). */
  readonly unsupported?: Refusal;
}

/** Relative folders start from `folder`, which contains the config file. */
export function servedEndpoint(endpoint: Endpoint, folder: string): ServedEndpoint {
  const served = {
    endpoint,
    methods: endpoint.method === undefined ? METHODS : [endpoint.method],
    cwd: resolve(folder, endpoint.cwd ?? ''),
    folder: resolve(folder),
  };
  const needed = neededFromHub(endpoint);
  if (needed === undefined) return served;
  const message = `svc serve cannot run "${endpoint.slug}": it needs ${needed}, and that takes a hub`;
  return { ...served, unsupported: refuse('not_supported', message) };
}

function neededFromHub({ approvalRequired, agentName, program, artifacts }: Endpoint): string | undefined {
  if (approvalRequired) return 'approval (approval_required)';
  if (agentName === 'hosted') return 'the cloud runner (agent_name: hosted)';
  if (artifacts !== undefined) return 'a place for its files (artifacts)';
  const [secret] = program.secrets;
  return secret === undefined ? undefined : `a managed secret ($svc:${secret})`;
}

/** The settings that this server ignores, one sentence each, for the start (decision 51, the standalone server). */
export function shortcomings({ endpoint, unsupported }: ServedEndpoint): string[] {
  if (unsupported !== undefined) return [`${unsupported.message}. Calls are answered with 501.`];
  const { slug, schedule, agentName, callbackUrl, alerts } = endpoint;
  return [
    ...(schedule === undefined ? [] : [`"${slug}": the schedule is ignored; nothing runs by itself here.`]),
    ...(agentName === undefined ? [] : [`"${slug}": agent_name is ignored; it runs on this machine.`]),
    ...(callbackUrl === undefined ? [] : [`"${slug}": callback_url is ignored; nobody is called back.`]),
    ...(alerts === undefined ? [] : [`"${slug}": alerts are ignored; a hub sends them.`]),
  ];
}

/** The same for a pipeline, whose runs only a hub can record. */
export function notServed({ slug }: { readonly slug: string }): string {
  return `"${slug}": the pipeline is not served; it takes a hub. Calls are answered with 404.`;
}
