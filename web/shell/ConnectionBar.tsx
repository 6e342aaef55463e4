import { useConnection } from '../api/live/live.ts';
import { Mark } from '../design/state/Mark.tsx';
import { useNow } from '../design/time/now.ts';
import { roughSpan } from '../design/time/time-words.ts';

/** A connection that is back within this time shows no notice. */
const NOTICE_DELAY_MS = 1_500;

export function ConnectionBar() {
  const connection = useConnection();
  const isLost = connection.kind === 'lost';
  const nowMs = useNow(isLost ? 500 : undefined);
  const lostMs = isLost ? nowMs - connection.sinceMs : 0;
  return (
    <div role="status">
      {lostMs >= NOTICE_DELAY_MS && (
        <p className="flex items-center gap-2 border-b border-bad bg-bad-wash px-4 py-1.5 lg:px-8">
          <span className="text-bad">
            <Mark shape="broken" />
          </span>
          <span>Connection lost {roughSpan(lostMs)} ago. Data may be out of date. Reconnecting…</span>
        </p>
      )}
    </div>
  );
}
