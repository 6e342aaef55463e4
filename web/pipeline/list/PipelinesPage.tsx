import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { type Item, readPages } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { QueryList } from '../../design/list/QueryList.tsx';
import { Page, Section } from '../../design/Page.tsx';
import { Visible } from '../../design/text/Code.tsx';
import { Runs } from '../run/Runs.tsx';

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
          kind="primary"
          why={edit.ok ? undefined : edit.reason}
          onClick={() => void navigate({ to: '/pipelines/new' })}
        >
          Create pipeline
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

function PipelineRow({ pipeline }: { readonly pipeline: Item<'listPipelines'> }) {
  const {
    slug,
    description,
    tags,
    trigger,
    node_count: count,
    source,
    agent_name: agent,
    problems,
  } = pipeline;
  const facts = [
    trigger.type === 'webhook' ? 'webhook' : 'manual',
    ...(trigger.public ? ['public'] : []),
    ...(tags ?? []),
    count === 1 ? '1 node' : `${count} nodes`,
    ...(source === 'config' ? [`defined in svc.yaml of agent ${agent ?? 'unknown'}`] : []),
  ];
  return (
    <div className="px-1 py-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Link
          to="/pipelines/$slug"
          params={{ slug }}
          className="font-mono font-semibold wrap-anywhere hover:text-accent hover:underline"
        >
          {slug}
        </Link>
        <span className="text-sm text-soft">{facts.join(' · ')}</span>
        {problems.length > 0 && <span className="text-sm text-bad">cannot run</span>}
      </div>
      {description !== null && (
        <p className="truncate text-sm text-soft">
          <Visible text={description} />
        </p>
      )}
    </div>
  );
}
