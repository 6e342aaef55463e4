import { homedir } from 'node:os';
import { join } from 'node:path';
import { isAgentName } from '@svc/core/protocol/agent-name';
import { TOKEN_PREFIXES, type TokenKind, tokenKind } from '@svc/core/token/token';
import { InvalidArgumentError } from 'commander';
import { Failure } from '../failure.ts';

/** What `svc agent` was given on its command line. */
export interface AgentOptions {
  readonly config: string;
  readonly name: string;
  /** Absent: SVC_TOKEN. */
  readonly token?: string;
  /** Absent: SVC_BASE_URL, else http://127.0.0.1:8787 (decision 28). */
  readonly baseUrl?: string;
  readonly localOnly?: true;
  readonly stateDir?: string;
  readonly json?: true;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_BASE_URL = 'http://127.0.0.1:8787';
const KIND_NAMES: Readonly<Record<TokenKind, string>> = {
  api_key: 'an API key',
  agent_token: 'an agent token',
  runner_token: 'a runner token',
  access_token: 'an access token',
};

const COMMANDS = { agent_token: 'svc agent', runner_token: 'svc agent --runner container' };

export function readAgentName(text: string): string {
  if (isAgentName(text)) return text;
  throw new InvalidArgumentError('Up to 64 letters, digits, ".", "_" and "-" are expected.');
}

/** The token of the option, else of SVC_TOKEN. A mistyped one is told here, and never shown. */
export function agentToken(option: string | undefined, environment: Environment): string {
  return tokenOf('agent_token', option, environment);
}

/** The same of a host of the hosted runner. */
export function runnerToken(option: string | undefined, environment: Environment): string {
  return tokenOf('runner_token', option, environment);
}

function tokenOf(
  expected: 'agent_token' | 'runner_token',
  option: string | undefined,
  { SVC_TOKEN }: Environment,
): string {
  const token = (option ?? SVC_TOKEN ?? '').trim();
  const wanted = KIND_NAMES[expected];
  const prefix = TOKEN_PREFIXES[expected];
  if (token === '')
    throw new Failure('an agent needs its token', { tip: `SVC_TOKEN=${prefix}… ${COMMANDS[expected]}` });
  const source = option === undefined ? 'SVC_TOKEN' : '--token';
  const kind = tokenKind(token);
  if (kind === expected) return token;
  if (kind !== undefined) throw new Failure(`${source} is ${KIND_NAMES[kind]}: ${wanted} is expected`);
  const isNone = `${source} is no ${wanted.replace(/^an? /, '')}`;
  throw new Failure(`${isNone}: one begins with ${prefix}, and a typing error breaks it`);
}

/** Where the hub is (decision 28). */
export function baseUrl(option: string | undefined, { SVC_BASE_URL }: Environment): URL {
  const text = option ?? (SVC_BASE_URL || DEFAULT_BASE_URL);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '')
    return url;
  const source = option === undefined ? 'SVC_BASE_URL' : '--base-url';
  throw new Failure(`${source} is no address of a hub: one such as https://svc.example.com is expected`);
}

/** Where agents of this user keep their journals (XDG Base Directory Specification). */
export function stateFolder(option: string | undefined, { XDG_STATE_HOME, HOME }: Environment): string {
  if (option !== undefined) return option;
  return join(XDG_STATE_HOME || join(HOME || homedir(), '.local', 'state'), 'svc', 'agent');
}

/** Whether others on the way can read the token. */
export function isReadable({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
