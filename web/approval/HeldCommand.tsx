import type { Approval } from './approval.ts';

/** What will run, exactly. */
export function HeldCommand({ command }: Pick<Approval, 'command'>) {
  if (command === null) return <p className="text-soft">The command cannot be shown any more.</p>;
  return (
    <pre dir="ltr" className="rounded bg-sunken px-3 py-2 wrap-anywhere whitespace-pre-wrap">
      {command}
    </pre>
  );
}
