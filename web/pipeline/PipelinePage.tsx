import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { read } from '../api/read.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Page } from '../design/Page.tsx';
import { Tabs } from '../design/Tabs.tsx';
import { Visible } from '../design/text/Code.tsx';
import { CallPipeline } from './CallPipeline.tsx';
import { DeletePipeline } from './edit/DeletePipeline.tsx';
import { EditPipeline } from './edit/EditPipeline.tsx';
import type { WirePipeline } from './graph/wire-pipeline.ts';
import { PipelineFacts } from './PipelineFacts.tsx';
import { PipelineVersions } from './PipelineVersions.tsx';
import { Runs } from './run/Runs.tsx';
import { StartRun } from './run/StartRun.tsx';

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
  const { slug, version } = pipeline;
  const tabs = [
    { id: 'graph', label: 'Graph', panel: <EditPipeline key={version} saved={pipeline} /> },
    { id: 'runs', label: 'Runs', panel: <Runs pipeline={slug} /> },
    { id: 'call', label: 'API', panel: <CallPipeline pipeline={pipeline} /> },
    { id: 'versions', label: 'Versions', panel: <PipelineVersions slug={slug} /> },
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
