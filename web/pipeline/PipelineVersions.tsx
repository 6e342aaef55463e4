import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyHeavyPart } from '../api/live/load-part.ts';
import { type Item, read, readPages } from '../api/read.ts';
import { Disclosure } from '../design/Disclosure.tsx';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Time } from '../design/time/Time.tsx';
import type { WirePipeline } from './graph/wire-pipeline.ts';
import { RestorePipeline } from './RestorePipeline.tsx';

const DefinitionYaml = lazyHeavyPart(async () => (await import('./yaml/DefinitionYaml.tsx')).DefinitionYaml);
const VersionDiff = lazyHeavyPart(async () => (await import('./yaml/VersionDiff.tsx')).VersionDiff);

/** The versions of a pipeline with their changes; a run keeps the version it started with. */
export function PipelineVersions({ pipeline }: { readonly pipeline: WirePipeline }) {
  const { slug } = pipeline;
  const query = useInfiniteQuery(readPages('listPipelineVersions', { parameters: { slug } }));
  return (
    <QueryList
      query={query}
      what="versions"
      idOf={({ version }) => String(version)}
      row={(version) => <Version pipeline={pipeline} version={version} />}
      empty={null}
    />
  );
}

interface VersionProps {
  readonly pipeline: WirePipeline;
  readonly version: Item<'listPipelineVersions'>;
}

function Version({ pipeline, version: { version, created_at: at, source } }: VersionProps) {
  return (
    <div className="flex items-start justify-between gap-4 py-1">
      <div className="min-w-0 grow">
        <Disclosure
          summary={
            <span>
              Version {version}{' '}
              <span className="text-sm text-soft">
                {source === 'config' ? 'from svc.yaml' : 'created here'}, <Time at={at} />
              </span>
            </span>
          }
        >
          <Definition slug={pipeline.slug} version={version} />
        </Disclosure>
      </div>
      {version !== pipeline.version && <RestorePipeline pipeline={pipeline} version={version} />}
    </div>
  );
}

function Definition({ slug, version }: { readonly slug: string; readonly version: number }) {
  const { data, error } = useQuery(versionOf(slug, version));
  const hasEarlier = version > 1;
  const before = useQuery({ ...versionOf(slug, version - 1), enabled: hasEarlier });
  if (data === undefined || (hasEarlier && before.isPending))
    return error ? <Problem error={error} /> : <Loading what="the version" />;
  return (
    <Suspense fallback={<Loading what="the version" />}>
      {before.data === undefined ? (
        <DefinitionYaml definition={data.definition} />
      ) : (
        <VersionDiff definition={data.definition} before={before.data.definition} />
      )}
    </Suspense>
  );
}

/** One version with its definition. */
function versionOf(slug: string, version: number) {
  return read('showPipelineVersion', { parameters: { slug, version: String(version) } });
}
