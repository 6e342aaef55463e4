import { useQuery } from '@tanstack/react-query';
import { Meter } from '../design/Meter.tsx';
import { Section } from '../design/Page.tsx';
import { NOW } from './now-reads.ts';

/** How much of the month's executions is used. */
export function Quota() {
  const { data } = useQuery(NOW.usage);
  return (
    <Section title="This month" aside={data && `plan ${data.plan}`}>
      {data && (
        <Meter label="Executions" used={data.executions.used} limit={data.executions.limit ?? undefined} />
      )}
    </Section>
  );
}
