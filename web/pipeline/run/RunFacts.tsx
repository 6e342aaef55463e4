import { Link } from '@tanstack/react-router';
import type { Answer } from '../../api/read.ts';
import { StateMark } from '../../design/state/StateMark.tsx';
import { Id } from '../../design/text/Id.tsx';
import { Elapsed, Time } from '../../design/time/Time.tsx';
import { RUN_TRIGGER_WORDS, shownRunState } from './run-words.ts';

export function RunFacts({ run }: { readonly run: Answer<'showPipelineRun'> }) {
  const { run_id, status, trigger, version, rerun_of, stopped_by, error, created_at, started_at, ended_at } =
    run;
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1">
      <StateMark state={shownRunState(status)} />
      {started_at !== null && <Elapsed since={started_at} until={ended_at} />}
      <span className="text-soft">
        {RUN_TRIGGER_WORDS[trigger]} <Time at={created_at} />
      </span>
      <span className="text-soft">version {version}</span>
      {stopped_by !== undefined && (
        <span>
          failed at <code>{stopped_by}</code>
        </span>
      )}
      {rerun_of !== undefined && (
        <Link to="/pipeline-runs/$id" params={{ id: rerun_of }} className="text-accent underline">
          previous run
        </Link>
      )}
      <Id id={run_id} copyLabel="Copy run ID" />
      {error !== undefined && <p className="w-full text-bad">{error}</p>}
    </div>
  );
}
