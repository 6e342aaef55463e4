import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Time } from '../../design/time/Time.tsx';
import { VisibleLines } from '../VisibleLines.tsx';
import type { WireEndpoint, WireVersion } from '../wire-endpoint.ts';
import { type ChangedField, changedFields } from './changed-fields.ts';

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
          version={version}
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
  readonly version: WireVersion;
  readonly before: WireVersion | undefined;
  readonly isComparable: boolean;
}

function Version({ version, before, isComparable }: VersionProps) {
  const changes = isComparable ? changedFields(before, version) : [];
  return (
    <section className="flex flex-col gap-1">
      <h3 className="flex flex-wrap items-baseline gap-x-3 border-b border-line pb-1">
        Version {version.version}
        <span className="text-sm font-normal text-soft">
          {version.source === 'config' ? 'from svc.yaml' : 'created here'}, <Time at={version.created_at} />
        </span>
      </h3>
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
        {before !== undefined && <Side text={before} kind="before" />}
        {after !== undefined && <Side text={after} kind="after" />}
      </dd>
    </>
  );
}

function Side({ text, kind }: { readonly text: string; readonly kind: 'before' | 'after' }) {
  const [sign, word, look] = kind === 'before' ? ['−', 'was', 'bg-bad-wash'] : ['+', 'is', 'bg-accent-wash'];
  return (
    <div className={`flex gap-2 px-2 ${look}`}>
      <span aria-hidden className="text-soft select-none">
        {sign}
      </span>
      <span className="sr-only">{word}</span>
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        {text === '' ? <i>empty</i> : <VisibleLines text={text} />}
      </span>
    </div>
  );
}
