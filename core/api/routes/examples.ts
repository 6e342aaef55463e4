/** One execution, one moment, one record, shared by the examples of the rows. */
export const EXAMPLE_EXECUTION_ID = '019a9f3e-7b1c-7c3e-9d43-5f1f0a7b2c11';
export const EXAMPLE_ID = '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22';
export const EXAMPLE_USER_ID = '019a9f3d-0c55-7b42-a1b7-0d2e6f8a9b33';
export const EXAMPLE_TIME = '2026-11-20T12:00:00.000Z';
