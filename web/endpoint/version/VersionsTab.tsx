import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Time } from '../../design/time/Time.tsx';
import type { WireEndpoint, WireVersion } from '../wire-endpoint.ts';
import { type ChangedField, changedFields } from './changed-fields.ts';
import { DiffLines } from './DiffLines.tsx';
import { lineDiff } from './line-diff.ts';
import { Restore } from './Restore.tsx';

/** The versions of an endpoint with their changes, the newest first. */
export function VersionsTab({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { slug: name } = endpoint;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    readPages('listEndpointVersions', { parameters: { name }, query: { limit: 20 } }),
  );
  if (data === undefined)
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="versions" />;
  const versions = data.pages.flatMap(({ items }) => items);
  return (
    <div className="flex flex-col gap-6">
      {versions.map((version, place) => (
        <Version
          key={version.version}
          endpoint={endpoint}
          version={version}
          newest={place === 0 ? undefined : versions[0]}
          before={versions[place + 1]}
          // The previous version of the last loaded one may not be loaded yet.
          isComparable={place < versions.length - 1 || !hasNextPage}
        />
      ))}
      {hasNextPage && (
        <Button className="self-start" onClick={() => void fetchNextPage()} isPending={isFetchingNextPage}>
          Show earlier versions
        </Button>
      )}
    </div>
  );
}

interface VersionProps {
  readonly endpoint: WireEndpoint;
  /** Undefined: the version is the newest. */
  readonly newest: WireVersion | undefined;
  readonly version: WireVersion;
  readonly before: WireVersion | undefined;
  readonly isComparable: boolean;
}

function Version({ endpoint, version, newest, before, isComparable }: VersionProps) {
  const changes = isComparable ? changedFields(before, version) : [];
  return (
    <section className="flex flex-col gap-2 rounded bg-raised p-4">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-6">
        <h2 className="flex flex-wrap items-baseline gap-x-3 font-semibold">
          Version {version.version}
          <span className="text-sm font-normal text-soft">
            {version.source === 'config' ? 'from svc.yaml' : 'created here'}, <Time at={version.created_at} />
          </span>
        </h2>
        {newest !== undefined && <Restore endpoint={endpoint} version={version} newest={newest} />}
      </div>
      {isComparable && changes.length === 0 && <p className="text-sm text-soft">No visible changes.</p>}
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)]">
        {changes.map((change) => (
          <Change key={change.field} change={change} />
        ))}
      </dl>
    </section>
  );
}

function Change({ change: { field, before, after } }: { readonly change: ChangedField }) {
  return (
    <>
      <dt className="font-mono text-sm text-soft wrap-anywhere">{field}</dt>
      <dd className="min-w-0 font-mono text-sm">
        <DiffLines lines={lineDiff(before, after)} />
      </dd>
    </>
  );
}
