/** The preferences of a caller about its answer (RFC 7240, decision 20, asynchronous calls and records). */
export interface Preference {
  readonly respondAsync: boolean;
  /** A command that did not end with exit code 0 answers with an error status. */
  readonly failStatus: boolean;
  /** In seconds; undefined: the caller waits as long as the hub allows. */
  readonly waitSec: number | undefined;
}

const PREFERENCE = /^\s*([A-Za-z-]+)\s*(?:=\s*"?([^";\s]*)"?\s*)?(?:;.*)?$/;

/**
 * Reads `Prefer`. Unknown and invalid preferences are ignored, as RFC 7240 requires. The first of two equal names counts.
 */
export function readPrefer(header: string | null): Preference {
  let respondAsync = false;
  let failStatus = false;
  let waitSec: number | undefined;
  for (const item of header?.split(',') ?? []) {
    const [, name = '', value] = PREFERENCE.exec(item) ?? [];
    if (name.toLowerCase() === 'respond-async') respondAsync = true;
    if (name.toLowerCase() === 'fail-status') failStatus = true;
    if (name.toLowerCase() === 'wait' && /^\d{1,9}$/.test(value ?? '')) waitSec ??= Number(value);
  }
  return { respondAsync, failStatus, waitSec };
}
