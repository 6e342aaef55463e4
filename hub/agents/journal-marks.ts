import type { Clock } from '../platform/world.ts';
import type { JournalMark } from './agent-ports.ts';
import type { AgentAddress } from './directory-ports.ts';
import type { AgentJournals } from './store/agent-journals.ts';

/** How often a mark is stored with the end of an execution. Most ends thus do not contend for the row of their agent. */
const STORE_EVERY_MS = 1_000;

interface KnownMark {
  seq: number;
  storedSeq: number;
  storedAtMs: number;
}

/**
 * The last known line of each connected agent's journal. It reveals a state folder that was restored from a copy: its journal
 * ends before that line (decision 61, the journal proves itself).
 */
export class JournalMarks {
  readonly #journals: AgentJournals;
  readonly #clock: Clock;
  readonly #marks = new Map<string, KnownMark>();

  constructor(journals: AgentJournals, clock: Clock) {
    this.#journals = journals;
    this.#clock = clock;
  }

  /** Why a journal that ends at this line is damaged; undefined: it is plausible. */
  async refusal(address: AgentAddress, seq: number): Promise<string | undefined> {
    const stored = await this.#journals.seqOf(address);
    const known = Math.max(stored, this.#marks.get(keyOf(address))?.seq ?? 0);
    if (seq >= known) return undefined;
    return `the journal ends at line ${seq}, and the hub knows of line ${known}: the state folder is an older copy`;
  }

  /** Notes a line number from an agent. Returns a mark when one is due to be stored with the next commit. */
  received(address: AgentAddress, seq: number): JournalMark | undefined {
    const key = keyOf(address);
    const mark = this.#marks.get(key) ?? { seq: 0, storedSeq: 0, storedAtMs: 0 };
    this.#marks.set(key, mark);
    mark.seq = Math.max(mark.seq, seq);
    const nowMs = this.#clock.nowMs();
    if (mark.seq === mark.storedSeq || nowMs - mark.storedAtMs < STORE_EVERY_MS) return undefined;
    mark.storedSeq = mark.seq;
    mark.storedAtMs = nowMs;
    return { ...addressOf(address), seq: mark.seq };
  }

  /** Stores the last number and removes it from memory. */
  async gone(address: AgentAddress): Promise<void> {
    const key = keyOf(address);
    const mark = this.#marks.get(key);
    if (mark === undefined) return;
    await this.#journals.mark({ ...addressOf(address), seq: mark.seq });
    if (this.#marks.get(key) === mark) this.#marks.delete(key);
  }
}

/** Only these fields are stored. */
function addressOf({ workspaceId, name, instance }: AgentAddress): AgentAddress {
  return { workspaceId, name, instance };
}

function keyOf({ workspaceId, name, instance }: AgentAddress): string {
  return `${workspaceId} ${name} ${instance}`;
}
