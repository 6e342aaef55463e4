import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read } from '../../api/read.ts';
import type { ValidationIssue } from '../graph/findings.ts';
import { bodyOf } from '../graph/wire-pipeline.ts';

const REST_MS = 200;
const NONE: readonly ValidationIssue[] = [];

/** What the hub finds wrong with a pipeline while it is drawn: asked once somebody rests, not at every letter. */
export function useCheck(pipeline: Pipeline): readonly ValidationIssue[] {
  const [checked, setChecked] = useState(pipeline);
  useEffect(() => {
    const timer = setTimeout(() => setChecked(pipeline), REST_MS);
    return () => clearTimeout(timer);
  }, [pipeline]);
  const { data } = useQuery({
    ...read('checkPipeline', { body: bodyOf(checked) }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return data?.findings ?? NONE;
}
