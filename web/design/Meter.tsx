import { classes } from './classes.ts';
import { grouped } from './text/grouped.ts';

interface MeterProps {
  readonly label: string;
  readonly used: number;
  /** Undefined: unlimited. */
  readonly limit: number | undefined;
}

/** The used part of a limit, as a thin bar with figures. Without a limit there is no bar. */
export function Meter({ label, used, limit }: MeterProps) {
  const figures =
    limit === undefined ? `${grouped(used)} · unlimited` : `${grouped(used)} of ${grouped(limit)}`;
  const share = limit === undefined || limit === 0 ? 0 : Math.min(1, used / limit);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex justify-between gap-4 text-sm">
        <span>{label}</span>
        <span className="text-soft">{figures}</span>
      </div>
      {limit !== undefined && (
        <div aria-hidden="true" className="h-1 overflow-hidden rounded bg-line">
          <div
            className={classes('h-full', share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-waiting' : 'bg-accent')}
            style={{ width: `${share * 100}%` }}
          />
        </div>
      )}
    </div>
  );
}
