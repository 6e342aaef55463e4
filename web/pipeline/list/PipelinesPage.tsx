import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { type Item, readPages } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Select } from '../../design/form/Select.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { QueryList } from '../../design/list/QueryList.tsx';
import { Page, Section } from '../../design/Page.tsx';
import { Visible } from '../../design/text/Code.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { readPipelinesSearch } from '../pipelines-search.ts';
import { Runs } from '../run/Runs.tsx';

/** No tag can have this name. */
const ANY = '';

/** All pipelines and their latest runs. */
export function PipelinesPage() {
  const { tag = ANY } = useSearch({ from: '/pipelines' });
  const query = useInfiniteQuery({
    ...(tag === ANY ? readPages('listPipelines') : readPages('listPipelines', { query: { tag } })),
    placeholderData: (before) => before,
  });
  const known = query.data?.pages.flatMap(({ items }) => items.flatMap(({ tags }) => tags ?? [])) ?? [];
  const tags = [...new Set([...known, tag])].filter((one) => one !== ANY).toSorted();
  const edit = useMay('pipeline.edit');
  const navigate = useNavigate();
  return (
    <Page
      {...PAGE_HEADS['/pipelines']}
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
      {tags.length > 0 && (
        <div className="w-48 max-w-full">
          <Select
            label="Tag"
            isLabelHidden
            options={[ANY, ...tags].map((value) => ({ value, label: value === ANY ? 'All tags' : value }))}
            value={tag}
            onChange={(next) =>
              void navigate({ to: '/pipelines', search: readPipelinesSearch({ tag: next }), replace: true })
            }
          />
        </div>
      )}
      <QueryList
        query={query}
        what="pipelines"
        idOf={({ id }) => id}
        row={(pipeline) => <PipelineRow pipeline={pipeline} />}
        rowHeight={58}
        empty={tag === ANY ? <NoPipelines /> : <NothingFound tag={tag} />}
      />
      <Section title="Latest runs">
        <Runs />
      </Section>
    </Page>
  );
}

function NoPipelines() {
  return (
    <Empty title="No pipelines yet">
      <p>
        Create a pipeline here, or define it under <code>pipelines:</code> in the svc.yaml of an agent.
      </p>
      <Link to="/pipelines/new" className="text-accent underline">
        Create pipeline
      </Link>
    </Empty>
  );
}

function NothingFound({ tag }: { readonly tag: string }) {
  return (
    <Empty title={`No pipelines have the tag “${tag}”`}>
      <Link to="/pipelines" className="text-accent underline">
        Show all pipelines
      </Link>
    </Empty>
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
    count === 1 ? '1 node' : `${count} nodes`,
    ...(source === 'config' ? [`defined in svc.yaml of agent ${agent ?? 'unknown'}`] : []),
  ];
  return (
    <div className="py-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Link
          to="/pipelines/$slug"
          params={{ slug }}
          className="font-mono font-semibold wrap-anywhere hover:text-accent hover:underline"
        >
          {slug}
        </Link>
        <span className="text-sm text-soft">{facts.join(' · ')}</span>
        {[...new Set(tags)].map((tag) => (
          <Link
            key={tag}
            to="/pipelines"
            search={{ tag }}
            aria-label={`Show pipelines with the tag ${tag}`}
            className="rounded bg-sunken px-1 text-xs whitespace-nowrap text-soft hover:text-ink"
          >
            {tag}
          </Link>
        ))}
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
