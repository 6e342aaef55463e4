import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TraceSettings } from './trace-settings.ts';

const PARENT_BASED = 'parentbased_';

/** The sampler of a name. `parentbased_…` follows the decision of the caller; the rest of the name is for new traces. */
export function samplerOf({ sampler, ratio }: Pick<TraceSettings, 'sampler' | 'ratio'>): Sampler {
  const own = ownSampler(sampler.replace(PARENT_BASED, ''), ratio);
  return sampler.startsWith(PARENT_BASED) ? new ParentBasedSampler({ root: own }) : own;
}

function ownSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler();
}
