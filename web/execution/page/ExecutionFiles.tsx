import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Answer, read } from '../../api/read.ts';
import { useDownload } from '../../api/use-download.ts';
import { Button } from '../../design/Button.tsx';
import { Disclosure } from '../../design/Disclosure.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Visible } from '../../design/text/Code.tsx';
import { ArtifactPreview } from '../preview/ArtifactPreview.tsx';
import { previewKind } from '../preview/load-preview.ts';
import type { ShownExecution } from '../wire-execution.ts';

type Artifact = Answer<'listArtifacts'>['items'][number];

/** The files that came with the call, and those that the command left; nothing without any. */
export function ExecutionFiles({ execution }: { readonly execution: ShownExecution }) {
  const { execution_id: id, files = [], ended_at: endedAt } = execution;
  const { data, error, refetch } = useQuery(read('listArtifacts', { parameters: { id } }));
  // The list is whole when the execution has ended.
  const left = endedAt === null ? [] : (data?.items ?? []);
  return (
    <>
      {files.length > 0 && (
        <Disclosure summary={`Input files (${files.length})`}>
          <ul aria-label="Input files" className="flex flex-col gap-1">
            {files.map(({ argument, name, bytes, type, sha256 }) => (
              <FileRow
                key={argument}
                name={`${argument}: ${name ?? 'without a name'}`}
                about={`${bytes} bytes, ${type}`}
              >
                <span className="font-mono text-sm text-soft wrap-anywhere">{sha256}</span>
              </FileRow>
            ))}
          </ul>
        </Disclosure>
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {left.length > 0 && (
        <Disclosure summary={`Output files (${left.length})`}>
          <ul aria-label="Output files" className="flex flex-col gap-1">
            {left.map((one) => (
              <ArtifactRow key={one.name} executionId={id} artifact={one} />
            ))}
          </ul>
          {left.some(({ state }) => state === 'stored') && <ArchiveButton executionId={id} />}
        </Disclosure>
      )}
    </>
  );
}

function ArchiveButton({ executionId }: { readonly executionId: string }) {
  const download = useDownload(`/executions/${executionId}/artifacts.zip`, `${executionId}.zip`);
  return (
    <Button kind="quiet" isPending={download.isPending} onClick={() => download.mutate()}>
      Download all as ZIP
    </Button>
  );
}

function ArtifactRow({
  executionId,
  artifact,
}: {
  readonly executionId: string;
  readonly artifact: Artifact;
}) {
  const { name, size, type, state, reason } = artifact;
  const path = `/executions/${executionId}/artifacts/${name.split('/').map(encodeURIComponent).join('/')}`;
  const download = useDownload(path, name.split('/').at(-1) ?? 'file');
  const [isPreviewed, setPreviewed] = useState(false);
  const kind = previewKind(type, size);
  if (state !== 'stored') return <FileRow name={name} about={`${state}: ${reason ?? 'not yet whole'}`} />;
  return (
    <FileRow name={name} about={`${size} bytes, ${type}`}>
      <Button
        kind="quiet"
        aria-label={`Download ${name}`}
        isPending={download.isPending}
        onClick={() => download.mutate()}
      >
        Download
      </Button>
      {kind !== undefined && (
        <Button
          kind="plain"
          aria-label={`Preview ${name}`}
          aria-expanded={isPreviewed}
          onClick={() => setPreviewed(!isPreviewed)}
        >
          Preview
        </Button>
      )}
      {kind !== undefined && isPreviewed && (
        <div className="flex w-full flex-col gap-1 py-1">
          <ArtifactPreview kind={kind} path={path} name={name} size={size} />
        </div>
      )}
    </FileRow>
  );
}

interface FileRowProps {
  readonly name: string;
  readonly about: string;
  readonly children?: ReactNode;
}

function FileRow({ name, about, children }: FileRowProps) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-4">
      <span className="font-mono wrap-anywhere">
        <Visible text={name} />
      </span>
      <span className="text-sm text-soft wrap-anywhere">
        <Visible text={about} />
      </span>
      {children}
    </li>
  );
}
