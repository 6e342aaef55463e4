import { type AgentFrameOf, decodeAgentFrame } from '@svc/core/protocol/frame';
import { UUID } from '@svc/core/text/uuid';

/** How an execution ended, with the output that the hub has not acknowledged. */
export interface JournaledEnd {
  readonly frame: AgentFrameOf<'ended'>;
  /** Output frames in base64; undefined if they are in the execution's own file. */
  readonly output: readonly string[] | undefined;
}

/** The state of an execution in the journal: about to start, or ended. */
export type Journaled = { readonly kind: 'started' } | ({ readonly kind: 'ended' } & JournaledEnd);

/** One line of the journal. */
export type JournalRecord =
  | { readonly started: string }
  | ({ readonly ended: string } & JournaledEnd)
  | { readonly forgotten: string };

/** A lower-case UUID, as the hub requires. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Parses a JSON value as a record; undefined if it is none. */
export function readRecord(value: unknown): JournalRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Partial<Record<'started' | 'ended' | 'forgotten', unknown>> & Partial<JournaledEnd>;
  if (isUuid(record.started)) return { started: record.started };
  if (isUuid(record.forgotten)) return { forgotten: record.forgotten };
  if (!isUuid(record.ended)) return undefined;
  const decoded = decodeAgentFrame(JSON.stringify(record.frame));
  if (decoded.kind === 'refused' || decoded.frame.type !== 'ended') return undefined;
  return { ended: record.ended, frame: decoded.frame, output: record.output };
}

/** Applies one record to the remaining ones. */
export function applyRecord(left: Map<string, Journaled>, record: JournalRecord): void {
  if ('started' in record) left.set(record.started, { kind: 'started' });
  else if ('forgotten' in record) left.delete(record.forgotten);
  else left.set(record.ended, { kind: 'ended', frame: record.frame, output: record.output });
}

export function toJournalRecord(id: string, journaled: Journaled): JournalRecord {
  if (journaled.kind === 'started') return { started: id };
  return { ended: id, frame: journaled.frame, output: journaled.output };
}
