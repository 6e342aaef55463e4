import { useLocation } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { lazyPart } from '../api/live/load-part.ts';
import { askDecision, useAskedDecision } from './asked-decision.ts';

const Decide = lazyPart(async () => (await import('./Decide.tsx')).Decide);

/** The dialog of a decision. It stays when another person decides first, and closes when its page is left. */
export function DecideWhenAsked() {
  const asked = useAskedDecision();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: at the end of each page
  useEffect(() => () => askDecision(undefined), [pathname]);
  return (
    <Suspense>
      {asked && <Decide {...asked} key={asked.approval.approval_id} onClose={() => askDecision(undefined)} />}
    </Suspense>
  );
}
