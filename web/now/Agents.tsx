import { useQuery } from '@tanstack/react-query';
import { Loading } from '../design/list/Loading.tsx';
import { Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { NOW } from './now-reads.ts';

/** The agents with their state and running executions. */
export function Agents() {
  const { data } = useQuery(NOW.agents);
  return (
    <Section
      title="Agents"
      aside={data && countWords(data.items.filter(({ status }) => status === 'online').length)}
    >
      {data === undefined && <Loading what="agents" rows={1} />}
      <ul className="flex flex-wrap gap-x-4 gap-y-1 lg:flex-col">
        {data?.items.map(({ name, id, status, running, host }) => (
          <li
            key={id}
            className="flex items-center gap-2"
            title={`${host.hostname}, ${host.os} ${host.arch}`}
          >
            <StateMark state={status} isCompact />
            <span className="truncate">{name}</span>
            {running > 0 && <span className="text-sm text-soft">{running} running</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function countWords(online: number): string {
  return `${online} online`;
}
