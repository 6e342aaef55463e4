/** How long a server lives at most, so that it does not outlive a run of tests that was killed. The long run has files of an hour. */
export const LIFETIME_SEC = process.env.SVC_TEST_LONG === undefined ? 900 : 10_800;
