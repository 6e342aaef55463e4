import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read } from '../../api/read.ts';
import type { ValidationIssue } from '../graph/findings.ts';
import { bodyOf } from '../graph/wire-pipeline.ts';

const TYPING_PAUSE_MS = 200;
const NONE: readonly ValidationIssue[] = [];

/** The problems that the hub finds in a draft; checked after a pause in typing. */
export function useCheck(pipeline: Pipeline): readonly ValidationIssue[] {
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
