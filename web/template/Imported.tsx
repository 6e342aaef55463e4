import { Link } from '@tanstack/react-router';
import type { Answer } from '../api/read.ts';

/** The endpoints that an import created, and those that it skipped. */
export function Imported({ result: { created, skipped } }: { readonly result: Answer<'importTemplate'> }) {
  return (
    <div role="status" className="rounded border border-line px-3 py-2">
      {created.length > 0 && (
        <p>
          Created:{' '}
          {created.map(({ slug }) => (
            <Link
              key={slug}
              to="/endpoints/$name"
              params={{ name: slug }}
              className="mr-3 text-accent underline"
            >
              {slug}
            </Link>
          ))}
        </p>
      )}
      {skipped.map(({ slug }) => (
        <p key={slug} className="text-waiting">
          Skipped: <code>{slug}</code>. The name is already in use.
        </p>
      ))}
    </div>
  );
}
