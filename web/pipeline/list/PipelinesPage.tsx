import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { readPages } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { QueryList } from '../../design/list/QueryList.tsx';
import { Page, Section } from '../../design/Page.tsx';
import { Runs } from '../run/Runs.tsx';
import { PipelineRow } from './PipelineRow.tsx';

/** All pipelines and their latest runs. */
export function PipelinesPage() {
  const query = useInfiniteQuery(readPages('listPipelines'));
  const edit = useMay('pipeline.edit');
  const navigate = useNavigate();
  return (
    <Page
      title="Pipelines"
      about="Chain endpoints in a graph with conditions and approvals, and start it manually or by a webhook."
      actions={
        <Button
          why={edit.ok ? undefined : edit.reason}
          onClick={() => void navigate({ to: '/pipelines/new' })}
        >
          New pipeline
        </Button>
      }
    >
      <QueryList
        query={query}
        what="pipelines"
        idOf={({ id }) => id}
        row={(pipeline) => <PipelineRow pipeline={pipeline} />}
        rowHeight={58}
        empty={
          <Empty title="No pipelines yet">
            <p>
              Create a pipeline here, or define it under <code>pipelines:</code> in the svc.yaml of an agent.
            </p>
            <Link to="/pipelines/new" className="text-accent underline">
              Create pipeline
            </Link>
          </Empty>
        }
      />
      <Section title="Latest runs">
        <Runs />
      </Section>
    </Page>
  );
}
