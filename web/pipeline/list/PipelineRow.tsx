import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/read.ts';
import { Visible } from '../../design/text/Code.tsx';

export function PipelineRow({ pipeline }: { readonly pipeline: Item<'listPipelines'> }) {
  const { slug, description, trigger, node_count: count, source, agent_name: agent, problems } = pipeline;
  const facts = [
    trigger.type === 'webhook' ? 'webhook' : 'manual',
    ...(trigger.public ? ['public'] : []),
    count === 1 ? '1 node' : `${count} nodes`,
    ...(source === 'config' ? [`defined in svc.yaml of agent ${agent ?? 'unknown'}`] : []),
  ];
  return (
    <div className="px-1 py-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Link
          to="/pipelines/$slug"
          params={{ slug }}
          className="font-mono font-semibold wrap-anywhere hover:text-accent hover:underline"
        >
          {slug}
        </Link>
        <span className="text-sm text-soft">{facts.join(' · ')}</span>
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
