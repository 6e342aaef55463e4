import type { ReactNode } from 'react';
import { Button } from '../Button.tsx';
import { Time } from '../time/Time.tsx';

interface NewerVersionProps {
  /** The version that the changes began with. */
  readonly base: number;
  readonly newest: {
    readonly version: number;
    readonly updated_at: string;
    readonly source: 'config' | 'api';
  };
  /** What happens to the newer version when the changes are saved on it. */
  readonly children: ReactNode;
  readonly onApply: () => void;
  readonly onDiscard: () => void;
}

/** Says in a form with changes that someone has saved a newer version, and offers what to do with the changes. */
export function NewerVersion({ base, newest, children, onApply, onDiscard }: NewerVersionProps) {
  const { version, updated_at: at, source } = newest;
  return (
    <div role="status" className="flex flex-col gap-1 rounded bg-waiting-wash px-3 py-2">
      <p>
        <span className="font-semibold">
          Version {version} was saved {source === 'config' && 'from svc.yaml '}
          <Time at={at} />.
        </span>{' '}
        Your changes began with version {base}, so they cannot be saved yet. {children}
      </p>
      <div className="-ml-3 flex flex-wrap gap-x-3">
        <Button kind="plain" onClick={onApply}>
          Apply my changes to version {version}
        </Button>
        <Button kind="plain" onClick={onDiscard}>
          Discard my changes and show version {version}
        </Button>
      </div>
    </div>
  );
}
