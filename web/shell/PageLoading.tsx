import { useConnection } from '../api/live/live.ts';
import { PAGE_WIDTH } from '../design/classes.ts';

/** Shown when a page loads for longer than a second. */
export function PageLoading() {
  const isLost = useConnection().kind === 'lost';
  return (
    <p role="status" className={`py-4 text-soft lg:py-6 ${PAGE_WIDTH}`}>
      {isLost ? 'The hub cannot be reached. This page opens when it is back.' : 'Loading the page…'}
    </p>
  );
}
