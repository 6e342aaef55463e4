import type { ReactNode } from 'react';
import { Button } from '../Button.tsx';
import { Problem } from '../list/Problem.tsx';
import { Confirm } from './Confirm.tsx';

interface RestoreVersionProps {
  /** The name of the endpoint or the pipeline. */
  readonly slug: string;
  readonly version: number;
  /** Why the version cannot be restored; undefined: it can. */
  readonly why: string | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly isPending: boolean;
  readonly problem: Error | null;
  readonly onRestore: () => void;
  /** What the restore changes. */
  readonly children: ReactNode;
}

/** The button that restores an earlier version, and the dialog that asks before it does. */
export function RestoreVersion({ slug, version, why, isOpen, onOpen, ...rest }: RestoreVersionProps) {
  const { isPending, problem, onRestore, children } = rest;
  return (
    <>
      <Button kind="plain" why={why} aria-label={`Restore version ${version}`} onClick={() => onOpen(true)}>
        Restore
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={() => onOpen(false)}
        title={`Restore version ${version} of ${slug}?`}
        action={`Restore version ${version}`}
        isHarmless
        isPending={isPending}
        onConfirm={onRestore}
      >
        <p>{children}</p>
        {problem && <Problem error={problem} />}
      </Confirm>
    </>
  );
}
