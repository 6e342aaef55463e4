import { classes } from './classes.ts';

interface MeterProps {
  readonly label: string;
  readonly used: number;
  /** Undefined: there is no limit. */
  readonly limit: number | undefined;
}

/** How much of a limit is used, as one thin bar with its figures. */
export function Meter({ label, used, limit }: MeterProps) {
  const figures =
    limit === undefined ? `${count(used)}, without a limit` : `${count(used)} of ${count(limit)}`;
  const share = limit === undefined || limit === 0 ? 0 : Math.min(1, used / limit);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex justify-between gap-4 text-sm">
        <span>{label}</span>
        <span className="text-soft">{figures}</span>
      </div>
      <div aria-hidden="true" className="h-1 overflow-hidden rounded bg-line">
        <div
          className={classes('h-full', share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-waiting' : 'bg-accent')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}

/** 12,345. */
function count(value: number): string {
  return value.toLocaleString('en-US');
}
