/**
 * Traces with something wrong in them, and what a reader that makes sense does. Data only: whoever reads traces is
 * tried on all of them.
 */
import type { HostileTrace } from './hostile-events.js';
import { CUT, NO_DEVICE, NO_TRACE } from './hostile-files.js';
import { NOT_JSON, TEXTS } from './hostile-json.js';
import { IDS, KEYS, SHAPES, TIMES } from './hostile-values.js';

export const HOSTILE_TRACES: readonly HostileTrace[] = [
  ...NO_TRACE,
  ...NO_DEVICE,
  ...CUT,
  ...KEYS,
  ...TIMES,
  ...IDS,
  ...NOT_JSON,
  ...TEXTS,
  ...SHAPES,
];
