import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { readConfig } from '@svc/agent/config-source';
import { ApiError } from '@svc/core/api/client/api-error';
import { tokenKind } from '@svc/core/token/token';
import { baseUrl, installedToken } from '../agent/options.ts';
import { requireConfig } from '../config.ts';
import { Failure } from '../failure.ts';
import { apiOf } from '../service/api.ts';
import starter from '../starter/svc.yaml' with { type: 'text' };
import { valueIn } from './environment-file.ts';
import { fileStep, type InstallStep } from './step.ts';

/** More than an agent token has. */
const RESERVED_BYTES = 256;

export interface AgentInstallOptions {
  /** A config file to copy to /etc/svc/svc.yaml. */
  readonly config?: string;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly force?: true;
  readonly root: string;
  readonly dryRun?: true;
  readonly uninstall?: true;
}

/** What an agent needs, read from options, files and what is installed already. */
export interface AgentSettings {
  readonly baseUrl: string;
  readonly name: string;
  /** An agent token or an enrolment token. Absent: the token that is installed stays. */
  readonly token: string | undefined;
  /** Absent: the file that is installed stays. */
  readonly config: string | undefined;
}

/** Where the settings of an agent are. */
export interface AgentFiles {
  readonly config: string;
  readonly token: string;
  readonly environment: string;
}

/** Reads and checks the settings before anything is changed. */
export function readSettings(
  {
    config,
    name,
    baseUrl: url,
    tokenFile,
    force,
  }: Pick<AgentInstallOptions, 'config' | 'name' | 'baseUrl' | 'tokenFile' | 'force'>,
  files: AgentFiles,
): AgentSettings {
  const address =
    url ?? valueIn(files.environment, 'SVC_BASE_URL') ?? (process.env.SVC_BASE_URL || undefined);
  if (address === undefined)
    throw new Failure('which hub? --base-url is missing', {
      tip: 'svc agent install --base-url https://svc.example.com',
    });
  const isInstalled = existsSync(files.token);
  const token =
    tokenFile === undefined && isInstalled
      ? undefined
      : installedToken({ ...(tokenFile === undefined ? {} : { tokenFile }) }, process.env);
  return {
    baseUrl: baseUrl(address, {}).href,
    name: name ?? valueIn(files.environment, 'SVC_AGENT_NAME') ?? 'default',
    token,
    config: configText(config, files.config, force === true),
  };
}

/**
 * Writes the token of the agent. It comes after the user, the other files and the unit: an enrolment token works once, and a
 * failure before this step keeps it.
 */
export function tokenSteps({ token, baseUrl: url }: AgentSettings, path: string): InstallStep[] {
  if (token === undefined) return [];
  const write = fileStep(path, `${token}\n`, 0o600);
  if (tokenKind(token) !== 'enrolment_token') return [write];
  return [{ ...write, isDone: () => false, run: () => writeExchanged(path, () => exchanged(url, token)) }];
}

/** Takes the space on the disk before the exchange, so that a full disk does not cost the token. */
async function writeExchanged(path: string, exchange: () => Promise<string>): Promise<void> {
  const staged = `${path}.new`;
  rmSync(staged, { force: true });
  const file = openSync(staged, 'wx', 0o600);
  try {
    writeSync(file, ' '.repeat(RESERVED_BYTES), 0);
    fsyncSync(file);
    const text = `${await exchange()}\n`;
    writeSync(file, text, 0);
    ftruncateSync(file, Buffer.byteLength(text));
    fsyncSync(file);
    renameSync(staged, path);
  } finally {
    closeSync(file);
    rmSync(staged, { force: true });
  }
}

/** The agent token for an enrolment token. Throws a `Failure` when the hub refuses it. */
async function exchanged(url: string, token: string): Promise<string> {
  const service = { baseUrl: url.replace(/\/$/, ''), username: undefined, credential: undefined };
  try {
    return (await apiOf(service).enrolAgent({ body: { token } })).token;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const tip = 'create another one on the page Agents, or with svc tokens create NAME --enrolment';
    throw new Failure(`${error.message}: the token and the service stay as they were`, {
      code: error.code,
      tip,
    });
  }
}

function configText(given: string | undefined, installed: string, force: boolean): string | undefined {
  if (given === undefined) return existsSync(installed) ? undefined : starter;
  requireConfig(readConfig(given, []), given);
  const text = readFileSync(given, 'utf8');
  if (!force && existsSync(installed) && readFileSync(installed, 'utf8') !== text)
    throw new Failure(`${installed} already exists and is another file than ${given}`, {
      tip: 'leave out --config to keep it, or replace it with --force',
    });
  return text;
}
