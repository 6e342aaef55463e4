import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/read.ts';
import { QueryList } from '../../design/list/QueryList.tsx';
import { RunRow } from './RunRow.tsx';

/** The runs of one pipeline or of all, the newest first. */
export function Runs({ pipeline }: { readonly pipeline?: string }) {
  const query = useInfiniteQuery(
    readPages('listPipelineRuns', { query: pipeline === undefined ? {} : { pipeline } }),
  );
  return (
    <QueryList
      query={query}
      what="runs"
      idOf={({ run_id: id }) => id}
      row={(run) => <RunRow run={run} hidesPipeline={pipeline !== undefined} />}
      empty={<p className="py-2 text-soft">No runs yet.</p>}
    />
  );
}
