import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { type Refusal, refuse } from '@svc/core/refusal';
import { alertEvent } from '../alerts/fixtures/alert-store.ts';
import { StoreDamaged } from '../platform/db/damage.ts';
import { newExecution } from '../platform/db/fixtures/samples.ts';
import { EnvelopeVault } from '../platform/vault/envelope-vault.ts';
import { completeEvent } from './complete-alert.ts';

const EVENT = alertEvent({ data: { execution_id: 'x', last_lines: [] } });

/** The event, completed where the read of the output fails so. */
function completed(failure: Error) {
  const ledger = {
    find: () => Promise.resolve({ ...newExecution({ workspaceId: 'w1' }), lastSeq: 3 } as never),
    output: () => Promise.reject(failure),
  };
  const vault = new EnvelopeVault(randomBytes(32));
  return completeEvent({ hubUrl: 'https://hub.example', ledger, vault })(EVENT);
}

test('an alert goes without its last lines where the stored output is damaged', async () => {
  const { data } = await completed(new StoreDamaged('stored output is damaged'));
  expect(data).toEqual({ execution_id: 'x', last_lines: [] });
});

test('an alert waits for its last lines while the store is unavailable', async () => {
  const failed: Refusal = await completed(refuse('unavailable', 'no answer')).catch((error) => error);
  expect(failed.message).toBe('no answer');
});
