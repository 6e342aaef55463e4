import { resolve } from 'node:path';
import { type Endpoint, METHODS, type Method } from '@svc/core/endpoint/definition';
import { type Refusal, refuse } from '@svc/core/refusal';

/** An endpoint, with all of a call that is known before there is one. */
export interface ServedEndpoint {
  readonly endpoint: Endpoint;
  readonly methods: readonly Method[];
  /** Where its command runs (decision 12). */
  readonly cwd: string;
  /** That of the config file, absolute. */
  readonly folder: string;
  /** Every call is answered with it: the endpoint needs what only a hub has (reference 8, decision 51). */
  readonly unsupported?: Refusal;
}

/** Relative folders start from `folder`, the config file's. */
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

function neededFromHub({ approvalRequired, agentName, program }: Endpoint): string | undefined {
  if (approvalRequired) return 'approval (approval_required)';
  if (agentName === 'hosted') return 'the cloud runner (agent_name: hosted)';
  const [secret] = program.secrets;
  return secret === undefined ? undefined : `a managed secret ($svc:${secret})`;
}

/** What the file asks for and this server does not do, one sentence each, to be said at start (decision 51). */
export function shortcomings({ endpoint, unsupported }: ServedEndpoint): string[] {
  if (unsupported !== undefined) return [`${unsupported.message}. Calls are answered with 501.`];
  const { slug, schedule, agentName, callbackUrl } = endpoint;
  return [
    ...(schedule === undefined ? [] : [`"${slug}": the schedule is ignored; nothing runs by itself here.`]),
    ...(agentName === undefined ? [] : [`"${slug}": agent_name is ignored; it runs on this machine.`]),
    ...(callbackUrl === undefined ? [] : [`"${slug}": callback_url is ignored; nobody is called back.`]),
  ];
}

/** The same of a pipeline: its runs are a ledger, which only a hub keeps. */
export function notServed({ slug }: { readonly slug: string }): string {
  return `"${slug}": the pipeline is not served; it takes a hub. Calls are answered with 404.`;
}
