import type { TailLine } from './tail-line.ts';

/** Which lines of output a tail shows; an absent condition holds for every line. */
export interface TailFilter {
  /** Only executions that this API key started. */
  readonly keyId?: string | undefined;
  /** The slug of an endpoint. */
  readonly slug?: string | undefined;
  readonly agentName?: string | undefined;
  /** Only lines of stderr, of endpoints that separate the two streams (decision 68, raw output). */
  readonly stream?: 'stderr' | undefined;
  /** A part of the line, in upper or lower case. */
  readonly text?: string | undefined;
}

interface TailedExecution {
  readonly slug: string;
  readonly agentName: string | undefined;
  readonly callerKind: string;
  readonly callerId: string | undefined;
}

/** Whether lines of an execution can match, before any line is read. */
export function mayShow({ keyId, slug, agentName }: TailFilter, execution: TailedExecution): boolean {
  if (keyId !== undefined && (execution.callerKind !== 'api_key' || execution.callerId !== keyId))
    return false;
  if (slug !== undefined && execution.slug !== slug) return false;
  return agentName === undefined || execution.agentName === agentName;
}

/** Whether a line of such an execution matches. */
export function showsLine({ stream, text }: TailFilter, line: TailLine): boolean {
  if (stream !== undefined && line.stream !== stream) return false;
  return text === undefined || line.data.toLowerCase().includes(text.toLowerCase());
}
