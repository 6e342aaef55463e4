import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { Failure } from '../failure.ts';

export interface ServeOptions {
  readonly config: string;
  readonly host: string;
  /** Absent: SVC_PORT, else 8080 (reference 4.6). */
  readonly port?: number;
  readonly allowHost?: readonly string[];
  readonly allowBrowser?: true;
  readonly mcp?: true;
  /** In milliseconds. */
  readonly grace: number;
  readonly json?: true;
}

const DEFAULT_PORT = 8080;
const MAX_PORT = 65_535;
const MAX_GRACE_SEC = 86_400;
const HOST_NAME = /^[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?$/i;

export function readPort(text: string): number {
  const port = wholeNumber(text, MAX_PORT);
  if (port === undefined) throw new InvalidArgumentError(`Expected a port from 0 to ${MAX_PORT}.`);
  return port;
}

/** The port without an option (reference 4.6); an empty variable counts as unset. */
export function portFrom({ SVC_PORT: text }: Readonly<Record<string, string | undefined>>): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = wholeNumber(text, MAX_PORT);
  if (port === undefined) throw new Failure(`SVC_PORT is "${text}": expected a port from 0 to ${MAX_PORT}`);
  return port;
}

export function readHost(text: string): string {
  if (isIP(text) !== 0 || HOST_NAME.test(text)) return text;
  throw new InvalidArgumentError('Expected an address of this machine, such as 127.0.0.1.');
}

/** Collects the names of a repeated option. */
export function readHostName(text: string, names: readonly string[] = []): readonly string[] {
  if (HOST_NAME.test(text)) return [...names, text];
  throw new InvalidArgumentError('Expected a host name without scheme and port, such as build.example.com.');
}

export function readGrace(text: string): number {
  const seconds = wholeNumber(text, MAX_GRACE_SEC);
  if (seconds === undefined) throw new InvalidArgumentError(`Expected seconds from 0 to ${MAX_GRACE_SEC}.`);
  return seconds * 1000;
}

function wholeNumber(text: string, max: number): number | undefined {
  return /^\d{1,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}
