import { useConnection } from '../api/live/live.ts';

/** Shown when a page loads for longer than a second. */
export function PageLoading() {
  const isLost = useConnection().kind === 'lost';
  return (
    <p role="status" className="p-4 text-soft lg:px-6">
      {isLost ? 'The hub cannot be reached. This page opens when it is back.' : 'Loading the page…'}
    </p>
  );
}
