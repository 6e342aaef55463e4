import { config } from 'zod';

// For pages under a strict Content-Security-Policy: zod finds out whether it may compile code by trying it, which is reported
// as a violation. To be imported before the schemas are.
config({ jitless: true });
