import { RE2JS } from 're2js';
import { setPatternEngine } from './pattern-engine.ts';

// Import this module for its effect: patterns are checked from then on.
setPatternEngine(RE2JS);
