import type { Approval } from './approval.ts';

/** The exact command that will run. */
export function HeldCommand({ command }: Pick<Approval, 'command'>) {
  if (command === null) return <p className="text-soft">The command is no longer available.</p>;
  return (
    <pre dir="ltr" className="rounded bg-sunken px-3 py-2 wrap-anywhere whitespace-pre-wrap">
      {command}
    </pre>
  );
}
