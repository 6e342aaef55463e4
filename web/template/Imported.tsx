import { Link } from '@tanstack/react-router';
import type { Answer } from '../api/read.ts';

/** What an import made, and what it left alone, with the reason. */
export function Imported({ result: { created, skipped } }: { readonly result: Answer<'importTemplate'> }) {
  return (
    <div role="status" className="rounded border border-line px-3 py-2">
      {created.length > 0 && (
        <p>
          Made:{' '}
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
          Left out: <code>{slug}</code>, because something has that name already and keeps it.
        </p>
      ))}
    </div>
  );
}
