import type { Header, ReadJournal, Renewal, SoundJournal } from '../journal/read-journal.ts';
import { isUuid, type Journaled } from '../journal/record.ts';
import type { Testimony } from '../journal/witness.ts';

/** The content of the file `instance`. */
export type InstanceFile =
  | { readonly kind: 'missing' | 'damaged' }
  /** `legacy`: written by a version without checksums. */
  | { readonly kind: 'sound' | 'legacy'; readonly id: string };

/** How far a state folder can be trusted. */
export type StateAssessment =
  | { readonly kind: 'new' }
  /** The instance continues; `boot` is set where the journal is proven to be complete. */
  | {
      readonly kind: 'same';
      readonly instance: string;
      readonly left: ReadonlyMap<string, Journaled>;
      readonly after: Header['after'];
      readonly renewed: Renewal | undefined;
      readonly boot: string | undefined;
    }
  | { readonly kind: 'damaged'; readonly reason: string; readonly replaces: string | undefined };

export interface Evidence {
  readonly instance: InstanceFile;
  readonly journal: ReadJournal;
  readonly witnessOf: (instance: string) => Testimony | undefined;
  readonly machineBoot: string;
}

export function readInstanceFile(text: string | undefined): InstanceFile {
  if (text === undefined) return { kind: 'missing' };
  const trimmed = text.trim();
  if (isUuid(trimmed)) return { kind: 'legacy', id: trimmed };
  const id = text.slice(0, 36);
  return isUuid(id) && instanceText(id) === text ? { kind: 'sound', id } : { kind: 'damaged' };
}

/**
 * NOTE: A version before checksums does not accept this as an id and begins as a new instance, because it cannot read the
 * journal.
 */
export function instanceText(id: string): string {
  return `${id} ${Bun.hash.crc32(id).toString(16).padStart(8, '0')}\n`;
}

/** Whether a state folder is as its last process left it (decision 61, the journal proves itself). */
export function assessState(evidence: Evidence): StateAssessment {
  const { instance, journal } = evidence;
  const replaces = 'id' in instance ? instance.id : headerOf(journal)?.instance;
  const damaged = (reason: string): StateAssessment => ({ kind: 'damaged', reason, replaces });
  if (instance.kind === 'damaged') return damaged('the file "instance" is damaged');
  switch (journal.kind) {
    case 'missing':
      return instance.kind === 'missing' ? { kind: 'new' } : damaged('the file "journal" is missing');
    case 'damaged':
      return damaged(`the journal is damaged: ${journal.reason}`);
    case 'legacy':
      if (instance.kind === 'legacy') return upgraded(instance.id, journal.left);
      return instance.kind === 'missing' && journal.left.size === 0
        ? { kind: 'new' }
        : damaged('the journal has no first line');
    case 'sound': {
      if (!belongsTo(journal.header, instance)) return damaged('the journal belongs to another instance');
      const doubt = doubtOf(journal, evidence);
      return doubt === undefined ? continues(journal, evidence) : damaged(`the journal is damaged: ${doubt}`);
    }
  }
}

function headerOf(journal: ReadJournal): Header | undefined {
  return 'header' in journal ? journal.header : undefined;
}

/** The journal is written first, so it is ahead if the process was killed in between. */
function belongsTo(header: Header, instance: InstanceFile): boolean {
  if (!('id' in instance)) return true;
  return header.instance === instance.id || header.renewed?.replaces === instance.id;
}

/** Why the journal differs from the last known write. Undefined when no evidence shows a difference. */
function doubtOf(journal: SoundJournal, { witnessOf, machineBoot }: Evidence): string | undefined {
  const { header, last, sums, isTorn } = journal;
  const witness = witnessOf(header.instance);
  if (witness === undefined) {
    // After a power cut a torn end is expected, and the hub sends nothing again (decision 24, states and takeover).
    return isTorn && header.boot === machineBoot ? 'its last line is damaged' : undefined;
  }
  const { seq, sum } = witness.mark;
  // A line after the witnessed one was never acted upon, whole or torn.
  if (sums.get(seq) === sum) return undefined;
  return seq > last.seq ? `it ends at line number ${last.seq} of ${seq}` : `line number ${seq} differs`;
}

function continues({ header, left, last }: SoundJournal, { witnessOf }: Evidence): StateAssessment {
  const { instance, renewed } = header;
  return { kind: 'same', instance, left, after: last, renewed, boot: witnessOf(instance)?.boot };
}

function upgraded(instance: string, left: ReadonlyMap<string, Journaled>): StateAssessment {
  return { kind: 'same', instance, left, after: { seq: 0, sum: 0 }, renewed: undefined, boot: undefined };
}
