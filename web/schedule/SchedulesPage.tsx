import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read, readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { ScheduleListRow } from './ScheduleListRow.tsx';

/** The schedules with their next and missed runs (reference 3.3). */
export function SchedulesPage() {
  const query = useInfiniteQuery(readPages('listSchedules'));
  return (
    <Page
      title="Schedules"
      about="Cron expressions are in UTC. A run whose agent is offline is recorded as missed and not repeated."
      actions={<Used />}
    >
      <QueryList
        query={query}
        what="schedules"
        idOf={({ endpoint }) => endpoint}
        row={(schedule) => <ScheduleListRow schedule={schedule} />}
        rowHeight={64}
        empty={
          <Empty title="No schedules yet">
            <p>
              Set the <code>schedule</code> of an endpoint, a cron expression, in svc.yaml or on its Settings
              tab.
            </p>
            <Link to="/endpoints" className="text-accent underline">
              Select an endpoint
            </Link>
          </Empty>
        }
      />
    </Page>
  );
}

/** The count against the plan: schedules over the limit are ignored, the latest first. */
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
