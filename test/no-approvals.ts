/** An agent whose endpoints need no approval, and which counts nothing. */
export const NO_APPROVALS = {
  name: 'default',
  acceptsApprovalsOfHub: true,
  usedApprovals: { take: () => true },
  nowMs: () => Date.now(),
  runningOf: () => 0,
} as const;
