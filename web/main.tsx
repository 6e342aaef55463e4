import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { chooseTeamByDefault } from './account/account.ts';
import { startLiveEvents } from './api/live/live.ts';
import { prefetchParts } from './api/live/load-part.ts';
import { savesData, whenQuiet } from './api/live/quiet.ts';
import { queryClient } from './api/query-client.ts';
import { read } from './api/read.ts';
import { dropBegun } from './begun-requests.ts';
import { applyTheme } from './design/theme.ts';
import { NOW_CALLS } from './first-reads.ts';
import { PAGE_LOADS, router } from './routes.tsx';

const place = document.getElementById('app');
if (place === null) throw new Error('index.html has no #app');
const root = createRoot(place);

applyTheme();
// The live stream starts before the first read, so that no change is missed.
startLiveEvents();
// The static page stays until the frame can replace it. Account, frame and first page load their data in parallel, which `start.ts` has
// begun to ask for.
void queryClient.prefetchQuery(read('countWaiting'));
void queryClient.prefetchQuery(read(...NOW_CALLS.running));
await Promise.all([queryClient.prefetchQuery(read('showWorkspace')), router.load()]);
dropBegun();
chooseTeamByDefault(queryClient.getQueryData(read('showWorkspace').queryKey));

// A transition renders in slices, so that the page stays responsive.
startTransition(() => {
  root.render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <Suspense>
            <RouterProvider router={router} />
          </Suspense>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
});

void whenQuiet().then(() => {
  performance.mark('svc:prefetch');
  if (!savesData()) void prefetchParts(PAGE_LOADS);
});
