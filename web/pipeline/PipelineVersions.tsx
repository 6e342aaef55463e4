import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyHeavyPart } from '../api/live/load-part.ts';
import { read, readPages } from '../api/read.ts';
import { Disclosure } from '../design/Disclosure.tsx';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Time } from '../design/time/Time.tsx';

const DefinitionYaml = lazyHeavyPart(async () => (await import('./yaml/DefinitionYaml.tsx')).DefinitionYaml);

/** The versions of a pipeline; a run keeps the version it started with. */
export function PipelineVersions({ slug }: { readonly slug: string }) {
  const query = useInfiniteQuery(readPages('listPipelineVersions', { parameters: { slug } }));
  return (
    <QueryList
      query={query}
      what="versions"
      idOf={({ version }) => String(version)}
      row={({ version, created_at, source }) => (
        <div className="py-1">
          <Disclosure
            summary={
              <span>
                Version {version}{' '}
                <span className="text-sm text-soft">
                  {source === 'config' ? 'from svc.yaml' : 'created here'}, <Time at={created_at} />
                </span>
              </span>
            }
          >
            <Definition slug={slug} version={version} />
          </Disclosure>
        </div>
      )}
      empty={null}
    />
  );
}

function Definition({ slug, version }: { readonly slug: string; readonly version: number }) {
  const parameters = { slug, version: String(version) };
  const { data, error } = useQuery(read('showPipelineVersion', { parameters }));
  if (data === undefined) return error ? <Problem error={error} /> : <Loading what="the version" />;
  return (
    <Suspense fallback={<Loading what="the version" />}>
      <DefinitionYaml definition={data.definition} />
    </Suspense>
  );
}
