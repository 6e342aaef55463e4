import { CopyButton } from '../design/text/CopyButton.tsx';
import { Time } from '../design/time/Time.tsx';
import type { WirePipeline } from './graph/wire-pipeline.ts';

export function PipelineFacts({ pipeline }: { readonly pipeline: WirePipeline }) {
  const { url, version, updated_at, source, agent_name, problems } = pipeline;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <code className="wrap-anywhere">POST {url}</code>
        <CopyButton text={url} label="Copy URL" isShort />
        <span className="text-sm text-soft">
          version {version}, changed <Time at={updated_at} />
          {source === 'config' && `, defined in svc.yaml of agent ${agent_name ?? 'unknown'}`}
        </span>
      </div>
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
