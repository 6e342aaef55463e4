import type { ErrorComponentProps } from '@tanstack/react-router';
import { PAGE_WIDTH } from '../design/classes.ts';

/** Shown in the frame when a page fails to load or render. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <section role="alert" className={`py-4 lg:py-6 ${PAGE_WIDTH}`}>
      <h1 className="text-xl">Cannot show this page</h1>
      <p className="mt-1">
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
      <button type="button" onClick={reset} className="mt-2 text-accent underline">
        Try again
      </button>
    </section>
  );
}
