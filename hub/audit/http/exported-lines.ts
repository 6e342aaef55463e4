import { wireOf } from '@svc/core/audit/wire-record';
import { refuse } from '@svc/core/refusal';
import type { Watch } from '../../http/watch-caller.ts';
import type { ReadPacer } from '../../platform/read-pacer.ts';
import type { AuditLog } from '../store/audit-store.ts';

const EXPORTED_AT_ONCE = 500;

/**
 * All lines of an audit log, read only as fast as the client takes them, so that only a part is in memory. When the
 * reader loses access it breaks off with an error, so that nobody takes it for complete (decision 44).
 */
export function exportedLines(
  audit: Pick<AuditLog, 'recordsAfter'>,
  workspaceId: string,
  { watch, pacer }: { readonly watch: Watch; readonly pacer: Pick<ReadPacer, 'run'> },
): ReadableStream<Uint8Array> {
  let last = 0;
  let isAllowed = true;
  let unwatch = () => {};
  return new ReadableStream({
    start() {
      unwatch = watch(() => {
        isAllowed = false;
      });
    },
    async pull(controller) {
      const records = await pacer.run(workspaceId, () =>
        audit.recordsAfter(workspaceId, last, EXPORTED_AT_ONCE),
      );
      if (!isAllowed) throw refuse('unauthorized', 'what this was asked for with works no more');
      last = records.at(-1)?.seq ?? last;
      const lines = records.map((record) => `${JSON.stringify(wireOf(record))}\n`).join('');
      if (lines !== '') controller.enqueue(new TextEncoder().encode(lines));
      if (records.length === EXPORTED_AT_ONCE) return;
      unwatch();
      controller.close();
    },
    cancel: () => unwatch(),
  });
}
