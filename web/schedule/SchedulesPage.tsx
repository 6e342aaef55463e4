import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read, readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { ScheduleRow } from './ScheduleRow.tsx';

/** Which endpoints run by themselves, when next, and what did not start (reference 3.3). */
export function SchedulesPage() {
  const query = useInfiniteQuery(readPages('listSchedules'));
  return (
    <Page
      title="Schedules"
      about="All times are UTC. A fire whose agent is offline is missed: it is on record, and nothing is made up for."
      actions={<Used />}
    >
      <QueryList
        query={query}
        what="schedules"
        idOf={({ endpoint }) => endpoint}
        row={(schedule) => <ScheduleRow schedule={schedule} />}
        rowHeight={64}
        empty={
          <Empty title="Nothing runs by itself yet">
            <p>
              Give an endpoint a <code>schedule</code> of five cron fields, in its file or in its settings.
            </p>
            <Link to="/endpoints" className="text-accent underline">
              Choose an endpoint
            </Link>
          </Empty>
        }
      />
    </Page>
  );
}

/** Beyond the plan the latest are ignored, so their count matters here. */
function Used() {
  const { data } = useQuery(read('showUsage'));
  if (data?.schedules.limit == null) return null;
  const { used, limit } = data.schedules;
  return (
    <Link to="/usage" className="text-sm text-soft hover:underline">
      {used} of {limit} schedules of the plan
    </Link>
  );
}
