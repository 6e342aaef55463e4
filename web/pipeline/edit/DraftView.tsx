import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { lazyHeavyPart } from '../../api/live/load-part.ts';
import { read } from '../../api/read.ts';
import { DraftNotice } from '../../design/form/DraftNotice.tsx';
import { PickOne } from '../../design/form/PickOne.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import type { PipelineIssue } from '../graph/issues.ts';
import { bodyOf } from '../graph/wire-pipeline.ts';
import { PipelineEditor } from './PipelineEditor.tsx';
import type { Draft } from './use-draft.ts';

const YamlView = lazyHeavyPart(async () => (await import('../yaml/YamlView.tsx')).YamlView);

const VIEWS = [
  { value: 'graph', label: 'Graph' },
  { value: 'yaml', label: 'YAML' },
] as const;

interface DraftViewProps {
  readonly draft: Draft;
  readonly hasSecret: boolean;
  /** An empty form shows no errors: they appear after the first change. */
  readonly isNew?: boolean;
  /** Renders the save button; `why` is the reason to disable it. */
  readonly save: (why: string | undefined) => ReactNode;
  /** The refusal of the last save. */
  readonly problem: ReactNode;
}

/** The editor of a pipeline, as a graph or as YAML of the same draft. */
export function DraftView({ draft, hasSecret, isNew = false, save, problem }: DraftViewProps) {
  const [view, setView] = useState<'graph' | 'yaml'>('graph');
  const checked = useCheck(draft.pipeline);
  const isUntouched = isNew && !draft.isChanged;
  const issues = isUntouched ? NONE : checked;
  const button = save(
    isUntouched
      ? 'Enter a name and add a step first.'
      : issues.length === 0
        ? undefined
        : 'Fix the problems below first.',
  );
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <PickOne label="View" options={VIEWS} value={view} onChange={setView} />
        {view === 'yaml' && button}
      </div>
      <DraftNotice kept={draft} />
      {problem}
      {view === 'graph' ? (
        <PipelineEditor draft={draft} issues={issues} hasSecret={hasSecret} actions={button} />
      ) : (
        <Suspense fallback={<Loading what="the editor" />}>
          <YamlView
            pipeline={draft.pipeline}
            issues={issues}
            onChange={(pipeline) => draft.change(() => pipeline)}
          />
        </Suspense>
      )}
    </div>
  );
}

const TYPING_PAUSE_MS = 200;
const NONE: readonly PipelineIssue[] = [];

/** The problems that the hub finds in a draft; checked after a pause in typing. */
function useCheck(pipeline: Pipeline): readonly PipelineIssue[] {
  const [checked, setChecked] = useState(pipeline);
  useEffect(() => {
    const timer = setTimeout(() => setChecked(pipeline), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [pipeline]);
  const { data } = useQuery({
    ...read('checkPipeline', { body: bodyOf(checked) }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return data?.findings ?? NONE;
}
