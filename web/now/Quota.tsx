import { useQuery } from '@tanstack/react-query';
import { Meter } from '../design/Meter.tsx';
import { Section } from '../design/Page.tsx';
import { NOW } from './now-reads.ts';

/** The used part of the monthly quota. */
export function Quota() {
  const { data } = useQuery(NOW.usage);
  return (
    <Section title="This month" aside={data && `${data.plan} plan`}>
      {data && (
        <Meter label="Executions" used={data.executions.used} limit={data.executions.limit ?? undefined} />
      )}
    </Section>
  );
}
