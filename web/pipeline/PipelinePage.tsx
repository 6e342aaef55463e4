import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { lazyPart } from '../api/live/load-part.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Page } from '../design/Page.tsx';
import { Tabs } from '../design/Tabs.tsx';
import { Visible } from '../design/text/Code.tsx';
import { CopyButton } from '../design/text/CopyButton.tsx';
import { UrlText } from '../design/text/UrlText.tsx';
import { Time } from '../design/time/Time.tsx';
import { EditPipeline } from './edit/EditPipeline.tsx';
import type { WirePipeline } from './graph/wire-pipeline.ts';
import { StartRun } from './run/StartRun.tsx';

const Runs = lazyPart(async () => (await import('./run/Runs.tsx')).Runs);
const CallPipeline = lazyPart(async () => (await import('./CallPipeline.tsx')).CallPipeline);
const PipelineVersions = lazyPart(async () => (await import('./PipelineVersions.tsx')).PipelineVersions);

/** One pipeline: graph or YAML, runs, API and versions. */
export function PipelinePage() {
  const { slug } = useParams({ from: '/pipelines/$slug' });
  const { data, error, refetch } = useQuery(read('showPipeline', { parameters: { slug } }));
  if (data !== undefined) return <Shown key={data.id} pipeline={data} />;
  return (
    <Page title={slug}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the pipeline" />}
    </Page>
  );
}

function Shown({ pipeline }: { readonly pipeline: WirePipeline }) {
  const { tab = 'graph' } = useSearch({ from: '/pipelines/$slug' });
  const navigate = useNavigate();
  const { slug } = pipeline;
  const tabs = [
    { id: 'graph', label: 'Graph', panel: <EditPipeline saved={pipeline} /> },
    { id: 'runs', label: 'Runs', panel: <Runs pipeline={slug} /> },
    { id: 'call', label: 'API', panel: <CallPipeline pipeline={pipeline} /> },
    { id: 'versions', label: 'Versions', panel: <PipelineVersions pipeline={pipeline} /> },
  ];
  return (
    <Page
      title={slug}
      heading={<span className="font-mono">{slug}</span>}
      about={pipeline.description === null ? undefined : <Visible text={pipeline.description} />}
      actions={
        <>
          <StartRun pipeline={pipeline} />
          <DeletePipeline pipeline={pipeline} />
        </>
      }
    >
      <PipelineFacts pipeline={pipeline} />
      <Tabs
        tabs={tabs}
        open={tab}
        onOpen={(id) =>
          void navigate({
            to: '/pipelines/$slug',
            params: { slug },
            search: { tab: id },
            replace: true,
            resetScroll: false,
          })
        }
      />
    </Page>
  );
}

/** Deletes a managed pipeline; one from svc.yaml is deleted there. */
function DeletePipeline({ pipeline: { slug, source } }: { readonly pipeline: WirePipeline }) {
  const can = useMay('pipeline.edit');
  const navigate = useNavigate();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const remove = useAction('deletePipeline', {
    changes: ['listPipelines'],
    doneMessage: () => `Pipeline ${slug} deleted`,
    onDone: () => void navigate({ to: '/pipelines' }),
  });
  if (source === 'config') return null;
  return (
    <>
      <Button kind="danger" why={can.ok ? undefined : can.reason} onClick={() => setIsDialogOpen(true)}>
        Delete pipeline
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Delete pipeline ${slug}?`}
        action="Delete pipeline"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate({ parameters: { slug } })}
      >
        <p>The pipeline cannot run again. Current runs continue, and the history is kept.</p>
      </Confirm>
    </>
  );
}

function PipelineFacts({ pipeline }: { readonly pipeline: WirePipeline }) {
  const { url, version, updated_at, source, agent_name, problems } = pipeline;
  return (
    <div className="-mt-4 flex flex-col gap-1">
      <div className="flex min-w-0 items-center gap-2">
        <UrlText method="POST" url={url} />
        <CopyButton text={url} label="Copy URL" isShort />
      </div>
      <p className="flex flex-wrap gap-x-4 text-sm text-soft">
        <span>version {version}</span>
        <span>
          changed <Time at={updated_at} />
        </span>
        {source === 'config' && <span>defined in svc.yaml of agent {agent_name ?? 'unknown'}</span>}
      </p>
      {problems.length > 0 && (
        <ul role="alert" className="rounded border border-bad bg-bad-wash px-3 py-2 text-sm">
          {problems.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              Cannot run: <code>{path}</code>: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
