import { Registry } from 'prom-client';
import { histogram, histogramOfEach } from './histogram.ts';

/** Bucket bounds in seconds for the hub's own work: from unnoticeable to a wait. */
const QUICK = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;
/** Seconds, for what commands, people and networks take. */
const SLOW = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200,
] as const;
const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;

/** The outcome of a call to an endpoint or pipeline, by status. */
const CALL_OUTCOMES = ['ok', 'accepted', 'refused', 'failed'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** The ends of executions whose duration an agent reported. */
const ENDS = ['succeeded', 'failed', 'timed_out', 'cancelled'] as const;

export function outcomeOfStatus(status: number): CallOutcome {
  if (status >= 500) return 'failed';
  if (status >= 400) return 'refused';
  return status === 202 ? 'accepted' : 'ok';
}

const HELP = {
  svc_call_duration_seconds: 'From the arrival of a call to the last byte of its answer, by outcome',
  svc_execution_first_output_seconds: 'From the order to an agent to the first output of the command',
  svc_execution_duration_seconds: 'What commands took, as their agents measured it, by final state',
  svc_execution_overhead_seconds: 'From the order to the end on record, less what the command took',
  svc_accept_seconds: 'Until a call was on record',
  svc_dispatch_seconds: 'From the record of a call to the order to its agent',
  svc_finish_seconds: 'Until the end of an execution was on record, with the rest of its output',
  svc_store_commit_seconds: 'What a commit took, which concurrent writes share',
  svc_store_commit_writes: 'How many writes shared a commit',
  svc_schedule_lateness_seconds: 'From the time of a fire to its record',
  svc_hosted_wait_seconds: 'How long a place on the hosted runner was waited for',
  svc_pipeline_step_overhead_seconds:
    'From the end of a step, or the start of the run, to the record of the next step',
  svc_agent_registration_seconds: 'From the first frame of an agent to its welcome',
  svc_agent_absence_seconds: 'From the loss of the connection of an agent to its return',
  svc_bus_round_trip_seconds: 'From a question to another hub to its answer',
  svc_event_loop_delay_seconds: 'How late a timer of the process was',
} as const;

/** All histograms of a running hub, in one registry with the other metrics. docs/operate/metrics.md explains each. */
export class Figures {
  readonly registry = new Registry();
  readonly callDuration = histogramOfEach(
    this.registry,
    facts('svc_call_duration_seconds', SLOW),
    'outcome',
    CALL_OUTCOMES,
  );
  readonly firstOutput = this.#add('svc_execution_first_output_seconds', SLOW);
  readonly executionDuration = histogramOfEach(
    this.registry,
    facts('svc_execution_duration_seconds', SLOW),
    'state',
    ENDS,
  );
  readonly overhead = histogramOfEach(
    this.registry,
    facts('svc_execution_overhead_seconds', QUICK),
    'runner',
    ['agent', 'hosted'],
  );
  readonly accept = this.#add('svc_accept_seconds', QUICK);
  readonly dispatch = this.#add('svc_dispatch_seconds', QUICK);
  readonly finish = this.#add('svc_finish_seconds', QUICK);
  readonly commitDuration = this.#add('svc_store_commit_seconds', QUICK);
  readonly commitWrites = this.#add('svc_store_commit_writes', COUNTS);
  readonly scheduleLateness = this.#add('svc_schedule_lateness_seconds', SLOW);
  readonly hostedWait = this.#add('svc_hosted_wait_seconds', SLOW);
  readonly stepOverhead = this.#add('svc_pipeline_step_overhead_seconds', QUICK);
  readonly registration = this.#add('svc_agent_registration_seconds', QUICK);
  readonly absence = this.#add('svc_agent_absence_seconds', SLOW);
  readonly busRoundTrip = this.#add('svc_bus_round_trip_seconds', QUICK);
  readonly eventLoopDelay = this.#add('svc_event_loop_delay_seconds', QUICK);

  #add(name: keyof typeof HELP, buckets: readonly number[]) {
    return histogram(this.registry, facts(name, buckets));
  }
}

function facts(name: keyof typeof HELP, buckets: readonly number[]) {
  return { name, help: HELP[name], buckets };
}
