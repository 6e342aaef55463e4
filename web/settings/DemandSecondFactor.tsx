import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Toggle } from '../design/form/Toggle.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Section } from '../design/Page.tsx';

/** Whether members need a second factor (decision 100, second factor). The owner and admins choose; the rule takes effect at once. */
export function DemandSecondFactor() {
  const can = useMay('second_factor.demand');
  const { data } = useQuery({ ...read('showSecondFactorRule'), enabled: can.ok });
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const change = useAction('setSecondFactorRule', {
    changes: ['showSecondFactorRule'],
    isProblemShown: true,
    doneMessage: ({ required }) =>
      required ? 'Members need a second factor now' : 'Members no longer need a second factor',
    onDone: () => setIsDialogOpen(false),
  });
  if (data === undefined) return null;
  const { required, without } = data;
  const set = (isRequired: boolean) => change.mutate({ body: { required: isRequired } });
  return (
    <Section title="Second factor of members">
      <Toggle
        label="Members need a second factor"
        isOn={required}
        onChange={(isOn) => (isOn ? setIsDialogOpen(true) : set(false))}
        hint={without === 0 ? 'Every member has one.' : `Members without one: ${without}.`}
      />
      {change.error && <Problem error={change.error} />}
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title="Demand a second factor?"
        action="Demand second factor"
        isHarmless
        isPending={change.isPending}
        onConfirm={() => set(true)}
      >
        <p>
          Members without a second factor can do nothing here until they switch it on: their sessions, access
          tokens, API keys and AI clients are refused at once. Service accounts and agents continue.
        </p>
        <p>{without === 0 ? 'Every member has one.' : `Members without one now: ${without}.`}</p>
        {change.error && <Problem error={change.error} />}
      </Confirm>
    </Section>
  );
}
