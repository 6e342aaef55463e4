/** The heading of a page, and one sentence about it. */
export interface PageHead {
  readonly title: string;
  readonly about: string;
}

/** Headings that need no data, by the path of their page: its HTML has them, so that they are painted before the scripts run. */
export const PAGE_HEADS = {
  '/executions': {
    title: 'Executions',
    about: 'All calls and scheduled runs, including those that never started.',
  },
  '/live': {
    title: 'Live output',
    about: 'The output of all executions, from now on. Click an endpoint to open its execution.',
  },
  '/endpoints': {
    title: 'Endpoints',
    about:
      'Commands you can call over HTTP. Agents register the ones in svc.yaml; you can also create them here.',
  },
  '/pipelines': {
    title: 'Pipelines',
    about: 'Chain endpoints in a graph with conditions and approvals, and start it manually or by a webhook.',
  },
  '/approvals': {
    title: 'Approvals',
    about: 'Calls waiting for approval. Each runs once, exactly as shown.',
  },
  '/usage': {
    title: 'Usage and plan',
    about: 'Usage per month, in UTC. All executions count: manual, scheduled and in pipelines.',
  },
} as const satisfies Readonly<Record<string, PageHead>>;
