import type { Clock } from '../platform/world.ts';
import type { AgentAddress } from './directory-ports.ts';
import type { JournalMark } from './journal-ports.ts';
import type { AgentJournals } from './store/agent-journals.ts';

/** How often a mark is stored with the end of an execution. Most ends thus do not contend for the row of their agent. */
const STORE_EVERY_MS = 1_000;

interface Heard {
  seq: number;
  storedSeq: number;
  storedAtMs: number;
}

/**
 * The last known line of each connected agent's journal. It reveals a state folder that was restored from a copy: its journal
 * ends before that line (decision 61, journals).
 */
export class JournalMarks {
  readonly #journals: AgentJournals;
  readonly #clock: Clock;
  readonly #heard = new Map<string, Heard>();

  constructor(journals: AgentJournals, clock: Clock) {
    this.#journals = journals;
    this.#clock = clock;
  }

  /** Why a journal that ends at this line is damaged; undefined: it is plausible. */
  async refusal(address: AgentAddress, seq: number): Promise<string | undefined> {
    const stored = await this.#journals.seqOf(address);
    const known = Math.max(stored, this.#heard.get(keyOf(address))?.seq ?? 0);
    if (seq >= known) return undefined;
    return `the journal ends at line ${seq}, and the hub knows of line ${known}: the state folder is an older copy`;
  }

  /** Notes a line number from an agent. Returns a mark when one is due to be stored with the next commit. */
  heard(address: AgentAddress, seq: number): JournalMark | undefined {
    const key = keyOf(address);
    const heard = this.#heard.get(key) ?? { seq: 0, storedSeq: 0, storedAtMs: 0 };
    this.#heard.set(key, heard);
    heard.seq = Math.max(heard.seq, seq);
    const nowMs = this.#clock.nowMs();
    if (heard.seq === heard.storedSeq || nowMs - heard.storedAtMs < STORE_EVERY_MS) return undefined;
    heard.storedSeq = heard.seq;
    heard.storedAtMs = nowMs;
    return { ...addressOf(address), seq: heard.seq };
  }

  /** Stores the last number and removes it from memory. */
  async gone(address: AgentAddress): Promise<void> {
    const key = keyOf(address);
    const heard = this.#heard.get(key);
    if (heard === undefined) return;
    await this.#journals.mark({ ...addressOf(address), seq: heard.seq });
    if (this.#heard.get(key) === heard) this.#heard.delete(key);
  }
}

/** Only these fields are stored. */
function addressOf({ workspaceId, name, instance }: AgentAddress): AgentAddress {
  return { workspaceId, name, instance };
}

function keyOf({ workspaceId, name, instance }: AgentAddress): string {
  return `${workspaceId} ${name} ${instance}`;
}
