import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isAgentName } from '@svc/core/protocol/agent-name';
import { TOKEN_PREFIXES, type TokenKind, tokenKind } from '@svc/core/token/token';
import { InvalidArgumentError } from 'commander';
import { Failure } from '../failure.ts';
import { readTokenFile } from './token-file.ts';

/** The options of `svc agent`. */
export interface AgentOptions {
  readonly config: string;
  /** Absent: SVC_AGENT_NAME, else `default`. */
  readonly name?: string;
  /** Absent, like `tokenFile`: the token of the environment. */
  readonly token?: string;
  readonly tokenFile?: string;
  /** Absent: SVC_BASE_URL, else http://127.0.0.1:8787 (decision 28, the connection of an agent). */
  readonly baseUrl?: string;
  readonly localOnly?: true;
  /** The user of commands; absent: the agent's own. */
  readonly runAs?: string;
  readonly acceptApprovalsOfHub?: true;
  readonly stateDir?: string;
  readonly json?: true;
}

type Environment = Readonly<Record<string, string | undefined>>;

const CREDENTIAL = 'svc-token';
const DEFAULT_NAME = 'default';
const DEFAULT_BASE_URL = 'http://127.0.0.1:8787';
const KIND_NAMES: Readonly<Record<TokenKind, string>> = {
  api_key: 'an API key',
  agent_token: 'an agent token',
  enrolment_token: 'an enrolment token',
  runner_token: 'a runner token',
  access_token: 'an access token',
  oauth_access: 'a token of an AI client',
  oauth_refresh: 'a token of an AI client',
  scim_token: 'a SCIM token',
};

const COMMANDS = { agent_token: 'svc agent', runner_token: 'svc agent --runner container' };

export function readAgentName(text: string): string {
  if (isAgentName(text)) return text;
  throw new InvalidArgumentError('Expected up to 64 letters, digits, ".", "_" or "-".');
}

/** The name of the option, else of the environment. Throws a `Failure` for a variable that is no name. */
export function agentNameOption(option: string | undefined, { SVC_AGENT_NAME }: Environment): string {
  const name = option ?? (SVC_AGENT_NAME || DEFAULT_NAME);
  if (isAgentName(name)) return name;
  throw new Failure('SVC_AGENT_NAME is not a name: up to 64 letters, digits, ".", "_" or "-" expected');
}

/**
 * The token of the options, else of the environment, else of the systemd credential (decision 59, the agent's token stays
 * with the agent). Throws a `Failure` for a mistyped token, and never shows it.
 */
export function agentToken(options: TokenOptions, environment: Environment): string {
  return tokenOf('agent_token', options, environment);
}

/** An agent token, or an enrolment token, which `svc agent install` exchanges for one; found like `agentToken`. */
export function installedToken(options: TokenOptions, environment: Environment): string {
  const given = givenToken(options, environment);
  if (given !== undefined && tokenKind(given.token) === 'enrolment_token') return given.token;
  return agentToken(options, environment);
}

/** The token of a host of the hosted runner, found like `agentToken`. */
export function runnerToken(options: TokenOptions, environment: Environment): string {
  return tokenOf('runner_token', options, environment);
}

type TokenOptions = Pick<AgentOptions, 'token' | 'tokenFile'>;

interface GivenToken {
  readonly token: string;
  /** The source of the token, as the start of a sentence. */
  readonly source: string;
}

function tokenOf(
  expected: 'agent_token' | 'runner_token',
  options: TokenOptions,
  environment: Environment,
): string {
  const given = givenToken(options, environment);
  const wanted = KIND_NAMES[expected];
  const prefix = TOKEN_PREFIXES[expected];
  if (given === undefined)
    throw new Failure('the agent needs a token', {
      tip: `${COMMANDS[expected]} --token-file <file with ${prefix}…>`,
    });
  const { token, source } = given;
  const kind = tokenKind(token);
  if (kind === expected) return token;
  if (kind !== undefined) throw new Failure(`${source} is ${KIND_NAMES[kind]}: expected ${wanted}`);
  throw new Failure(`${source} is not ${wanted}: it must start with ${prefix}; check for a typing error`);
}

function givenToken({ token, tokenFile }: TokenOptions, environment: Environment): GivenToken | undefined {
  const { SVC_TOKEN, SVC_TOKEN_FILE } = environment;
  if (token !== undefined && tokenFile !== undefined)
    throw new Failure('--token and --token-file cannot be combined');
  if (token !== undefined) return { token: token.trim(), source: '--token' };
  const path = tokenFile ?? (SVC_TOKEN_FILE || undefined);
  if (path !== undefined) return fromFile(path);
  if (SVC_TOKEN?.trim()) return { token: SVC_TOKEN.trim(), source: 'SVC_TOKEN' };
  const credential = credentialOf(environment);
  return credential === undefined ? undefined : fromFile(credential);
}

function fromFile(path: string): GivenToken {
  const source = path.startsWith('/dev/fd/') ? 'the token' : `the token in ${path}`;
  return { token: readTokenFile(path), source };
}

/** The path of the systemd credential `LoadCredential=svc-token:…`. */
function credentialOf({ CREDENTIALS_DIRECTORY }: Environment): string | undefined {
  const path = CREDENTIALS_DIRECTORY ? join(CREDENTIALS_DIRECTORY, CREDENTIAL) : undefined;
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** The address of the hub (decision 28, the connection of an agent). */
export function baseUrl(option: string | undefined, { SVC_BASE_URL }: Environment): URL {
  const text = option ?? (SVC_BASE_URL || DEFAULT_BASE_URL);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '')
    return url;
  const source = option === undefined ? 'SVC_BASE_URL' : '--base-url';
  throw new Failure(`${source} is not the address of a hub: expected a URL such as https://svc.example.com`);
}

/** The folder of the journals of this user's agents (XDG Base Directory Specification). */
export function stateFolder(option: string | undefined, { XDG_STATE_HOME, HOME }: Environment): string {
  if (option !== undefined) return option;
  return join(XDG_STATE_HOME || join(HOME || homedir(), '.local', 'state'), 'svc', 'agent');
}

/** Whether others on the network can read the token. */
export function isReadable({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
