import { type Endpoint, METHODS } from '@svc/core/endpoint/definition';
import type { FactRow } from '../terminal.ts';
import { sampleCall } from './sample-call.ts';

/** The facts of a listening server. */
export interface ListeningServer {
  readonly version: string;
  readonly config: string;
  readonly url: string;
  /** The callable endpoints. */
  readonly endpoints: readonly Endpoint[];
  readonly warnings: readonly string[];
  /** The listening address, if other machines can reach it. */
  readonly openAddress: string | undefined;
}

/** One fact per line: URL, endpoints, warnings, and a call to try. */
export function serverReadyRows(ready: ListeningServer): FactRow[] {
  const { version, config, url, endpoints, warnings, openAddress } = ready;
  const curl = sampleCall(endpoints, url);
  return [
    { label: `svc ${version}`, text: `serves ${config} at ${url}` },
    ...endpointRows(endpoints, url),
    ...warnings.map(warning),
    ...(openAddress === undefined ? [] : [warning(openWarning(openAddress))]),
    ...(curl === undefined ? [] : [{ label: 'try', text: curl }]),
    { label: 'stop', text: 'Ctrl-C' },
  ];
}

function endpointRows(endpoints: readonly Endpoint[], url: string): FactRow[] {
  const targets = endpoints.map(({ slug }) => `${url}/${slug}`);
  const width = Math.max(0, ...targets.map((target) => target.length));
  return endpoints.map(({ method, description = '' }, index) => ({
    label: method ?? METHODS.join('|'),
    text: `${targets[index]?.padEnd(width)}  ${firstLine(description)}`.trimEnd(),
  }));
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function warning(text: string): FactRow {
  return { label: 'WARNING', text, tone: 'warning' };
}

function openWarning(address: string): string {
  return `anyone who can reach ${address} can run these commands without a password; --host 127.0.0.1 limits them to this machine`;
}
