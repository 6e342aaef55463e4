import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { startLiveEvents } from './api/live/live.ts';
import { queryClient } from './api/query-client.ts';
import { read } from './api/read.ts';
import { applyTheme } from './design/theme.ts';
import { router } from './routes.tsx';

const place = document.getElementById('app');
if (place === null) throw new Error('index.html has no #app');
const root = createRoot(place);

applyTheme();
// Before anything is read: what changes from then on is heard of.
startLiveEvents();
// What the page came with stands until there is a frame to take its place; who is signed in, and what the first page shows, is
// asked for side by side.
await Promise.all([queryClient.prefetchQuery(read('showWorkspace')), router.load()]);

// In pieces of time, between which the page answers.
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
