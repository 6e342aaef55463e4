/** So many addresses are on record for one approval: whoever has its link cannot fill the audit log. */
const MOST_ADDRESSES = 20;
/** Approvals of which it is remembered; the oldest are forgotten. */
const MOST_APPROVALS = 10_000;

/** Which tries on approvals that were decided on before are in the audit log: the first from each address, by this process. */
export class NotedTries {
  readonly #addresses = new Map<string, Set<string>>();

  /** Whether it is to be put on record; the same one again is not. */
  isNew(approvalId: string, address: string | undefined): boolean {
    const addresses = this.#addresses.get(approvalId) ?? this.#begin(approvalId);
    if (addresses.size >= MOST_ADDRESSES || addresses.has(address ?? '')) return false;
    addresses.add(address ?? '');
    return true;
  }

  #begin(approvalId: string): Set<string> {
    const [oldest] = this.#addresses.keys();
    if (oldest !== undefined && this.#addresses.size >= MOST_APPROVALS) this.#addresses.delete(oldest);
    const addresses = new Set<string>();
    this.#addresses.set(approvalId, addresses);
    return addresses;
  }
}
