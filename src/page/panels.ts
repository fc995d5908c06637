/** The table of panels, in order on the page. */
import type { Panel } from './panel.js';
import { ACTIVITY } from './panels/activity.js';
import { ADVICE } from './panels/advice.js';
import { ANNOTATIONS } from './panels/annotations.js';
import { COLLECTIVES } from './panels/collectives.js';
import { DEVICES } from './panels/devices.js';
import { DIAGNOSTICS } from './panels/diagnostics.js';
import { FIGURES } from './panels/figures.js';
import { FLAME } from './panels/flame.js';
import { KERNELS } from './panels/kernels.js';
import { LAYERS } from './panels/layers.js';
import { MATRIX_UNIT } from './panels/matrix-unit.js';
import { MEMORY } from './panels/memory.js';
import { MEMORY_OPERATIONS } from './panels/memory-operations.js';
import { PRECISION } from './panels/precision.js';
import { RANKS } from './panels/ranks.js';
import { ROOFLINE } from './panels/roofline.js';
import { STEPS } from './panels/steps.js';
import { TIMELINE } from './panels/timeline.js';
import { UTILISATION } from './panels/utilisation.js';

export const PANELS: readonly Panel[] = [
  FIGURES,
  ADVICE,
  DEVICES,
  UTILISATION,
  RANKS,
  STEPS,
  KERNELS,
  PRECISION,
  MATRIX_UNIT,
  ACTIVITY,
  MEMORY_OPERATIONS,
  COLLECTIVES,
  ROOFLINE,
  LAYERS,
  FLAME,
  ANNOTATIONS,
  MEMORY,
  TIMELINE,
  DIAGNOSTICS,
];
