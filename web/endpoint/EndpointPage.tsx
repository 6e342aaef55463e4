import { useIsMutating, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMay } from '../account/account.ts';
import { lazyHeavyPart, lazyPart } from '../api/live/load-part.ts';
import { read } from '../api/read.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Page } from '../design/Page.tsx';
import { Tabs } from '../design/Tabs.tsx';
import { Visible } from '../design/text/Code.tsx';
import { deletionKey } from './deletion.ts';
import { EndpointFacts } from './EndpointFacts.tsx';
import { RunPanel } from './run/RunPanel.tsx';
import { useRunDraft } from './run/use-run-draft.ts';
import { Snippets } from './snippet/Snippets.tsx';
import type { WireEndpoint } from './wire-endpoint.ts';

const AccessTab = lazyPart(async () => (await import('./AccessTab.tsx')).AccessTab);
const HistoryTab = lazyPart(async () => (await import('./history/HistoryTab.tsx')).HistoryTab);
const ScheduleTab = lazyPart(async () => (await import('./schedule/ScheduleTab.tsx')).ScheduleTab);
const VersionsTab = lazyPart(async () => (await import('./version/VersionsTab.tsx')).VersionsTab);
const SettingsTab = lazyHeavyPart(async () => (await import('./edit/SettingsTab.tsx')).SettingsTab);

/** One endpoint: its run form and output, API, history, schedule, versions and settings. */
export function EndpointPage() {
  const { name } = useParams({ from: '/endpoints/$name' });
  // The live event of the deletion arrives before its response; a read in between would show an error.
  const isBeingDeleted = useIsMutating({ mutationKey: deletionKey(name) }) > 0;
  const { data, error, refetch } = useQuery({
    ...read('showEndpoint', { parameters: { name } }),
    enabled: !isBeingDeleted,
  });
  if (data !== undefined) return <Shown key={data.id} endpoint={data} />;
  return (
    <Page title={name}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the endpoint" />}
    </Page>
  );
}

function Shown({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { tab = 'snippets' } = useSearch({ from: '/endpoints/$name' });
  const navigate = useNavigate();
  const mayGrant = useMay('member.change_role').ok;
  const kept = useRunDraft(endpoint);
  const tabs = [
    { id: 'snippets', label: 'API', panel: <Snippets endpoint={endpoint} values={kept.values} /> },
    { id: 'history', label: 'History', panel: <HistoryTab slug={endpoint.slug} /> },
    { id: 'schedule', label: 'Schedule', panel: <ScheduleTab endpoint={endpoint} /> },
    { id: 'versions', label: 'Versions', panel: <VersionsTab endpoint={endpoint} /> },
    ...(mayGrant ? [{ id: 'access', label: 'Access', panel: <AccessTab slug={endpoint.slug} /> }] : []),
    { id: 'settings', label: 'Settings', panel: <SettingsTab endpoint={endpoint} /> },
  ];
  return (
    <Page
      title={endpoint.slug}
      heading={<span className="font-mono">{endpoint.slug}</span>}
      about={endpoint.description === null ? undefined : <Visible text={endpoint.description} />}
    >
      <EndpointFacts endpoint={endpoint} />
      <RunPanel endpoint={endpoint} kept={kept} />
      <Tabs
        tabs={tabs}
        open={tab}
        onOpen={(id) =>
          void navigate({
            to: '/endpoints/$name',
            params: { name: endpoint.slug },
            search: (before) => ({ ...before, tab: id }),
            replace: true,
            resetScroll: false,
          })
        }
      />
    </Page>
  );
}
