import { Button } from '../../design/Button.tsx';

interface UploadBarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly onCancel: () => void;
}

/** How much of the files has been sent. */
export function UploadBar({ share, onCancel }: UploadBarProps) {
  const percent = Math.floor(share * 100);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div
        role="progressbar"
        aria-label="Upload"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${percent} % uploaded`}
        className="h-2 min-w-40 flex-1 overflow-hidden rounded bg-line"
      >
        <div className="h-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
      <span aria-hidden className="text-sm text-soft tabular-nums">
        {percent} % uploaded
      </span>
      <Button onClick={onCancel}>Cancel upload</Button>
    </div>
  );
}
