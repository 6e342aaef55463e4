import { useConnection } from '../api/live/live.ts';
import { Mark } from '../design/state/Mark.tsx';
import { useNow } from '../design/time/now.ts';
import { roughSpan } from '../design/time/time-words.ts';

/** Said only when it is so: what is shown may be old. A connection that heals at once is not worth a word. */
const PATIENCE_MS = 1_500;

export function ConnectionBar() {
  const connection = useConnection();
  const isLost = connection.kind === 'lost';
  const nowMs = useNow(isLost ? 500 : undefined);
  const goneMs = isLost ? nowMs - connection.sinceMs : 0;
  return (
    <div role="status">
      {goneMs >= PATIENCE_MS && (
        <p className="flex items-center gap-2 border-b border-bad bg-bad-wash px-4 py-1.5 lg:px-6">
          <span className="text-bad">
            <Mark shape="broken" />
          </span>
          <span>
            The connection to the hub is lost since {roughSpan(goneMs)}: what you see may be old. It is tried
            again by itself.
          </span>
        </p>
      )}
    </div>
  );
}
