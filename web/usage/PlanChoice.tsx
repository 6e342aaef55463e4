import { PLANS, type Plan } from '@svc/core/plan/plans';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { type Answer, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { Section } from '../design/Page.tsx';

const OPTIONS = PLANS.map((value) => ({ value, label: value }));

/** Changes the plan; only the owner can (reference 5). Usage above the new limits stays, and is listed. */
export function PlanChoice() {
  const can = useMay('billing.manage');
  const why = can.ok ? undefined : can.reason;
  const { data } = useQuery(read('showUsage'));
  const [chosen, setChosen] = useState<Plan>();
  const change = useAction('changePlan', {
    changes: ['showUsage', 'showHostedUsage', 'showWorkspace'],
    doneMessage: ({ plan }) => `Plan changed to ${plan}`,
    onDone: () => setChosen(undefined),
  });
  if (data === undefined) return null;
  const plan = chosen ?? data.plan;
  return (
    <Section title="Change plan">
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-40">
          <Select label="Plan" options={OPTIONS} value={plan} onChange={setChosen} why={why} />
        </div>
        <Button
          kind="primary"
          isPending={change.isPending}
          why={why ?? (plan === data.plan ? `${plan} is your current plan.` : undefined)}
          onClick={() => change.mutate({ body: { plan } })}
        >
          Change to {plan}
        </Button>
      </div>
      {change.data && <Effects effects={change.data.effects} />}
    </Section>
  );
}

function Effects({ effects }: Pick<Answer<'changePlan'>, 'effects'>) {
  if (effects.length === 0) return null;
  return (
    <ul
      className="flex flex-col gap-1 rounded border border-waiting bg-waiting-wash px-3 py-2 text-sm"
      role="status"
    >
      {effects.map(({ what, used, allowed, message }) => (
        <li key={what}>
          {what}: {used} used, {allowed} allowed: {message}
        </li>
      ))}
    </ul>
  );
}
