/** The limit of addresses per approval, so that a holder of the link cannot fill the audit log. */
const MAX_ADDRESSES = 20;
/** The limit of remembered approvals; the oldest are forgotten. */
const MAX_APPROVALS = 10_000;

/** Remembers which attempts on closed approvals this process has put into the audit log: the first from each address. */
export class FailedAttempts {
  readonly #addresses = new Map<string, Set<string>>();

  /** True for the first attempt from an address. */
  isNew(approvalId: string, address: string | undefined): boolean {
    const addresses = this.#addresses.get(approvalId) ?? this.#begin(approvalId);
    if (addresses.size >= MAX_ADDRESSES || addresses.has(address ?? '')) return false;
    addresses.add(address ?? '');
    return true;
  }

  #begin(approvalId: string): Set<string> {
    const [oldest] = this.#addresses.keys();
    if (oldest !== undefined && this.#addresses.size >= MAX_APPROVALS) this.#addresses.delete(oldest);
    const addresses = new Set<string>();
    this.#addresses.set(approvalId, addresses);
    return addresses;
  }
}
