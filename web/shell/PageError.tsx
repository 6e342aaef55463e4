import type { ErrorComponentProps } from '@tanstack/react-router';

/** A page broke; the frame stands. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <section role="alert" className="p-4">
      <h1 className="text-lg">This page cannot be shown</h1>
      <p className="mt-1">
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
      <button type="button" onClick={reset} className="mt-2 text-accent underline">
        Show it again
      </button>
    </section>
  );
}
