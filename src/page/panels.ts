/** The table of panels, in order on the page. */
import type { Panel } from './panel.js';
import { ACTIVITY } from './panels/activity-panel.js';
import { ADVICE } from './panels/advice-panel.js';
import { ANNOTATIONS } from './panels/annotations-panel.js';
import { COLLECTIVES } from './panels/collectives-panel.js';
import { DEVICES } from './panels/devices-panel.js';
import { DIAGNOSTICS } from './panels/diagnostics-panel.js';
import { FIGURES } from './panels/figures-panel.js';
import { FLAME } from './panels/flame-panel.js';
import { KERNELS } from './panels/kernels-panel.js';
import { LAYERS } from './panels/layers-panel.js';
import { MATRIX_UNIT } from './panels/matrix-unit-panel.js';
import { MEMORY } from './panels/memory-panel.js';
import { MEMORY_OPERATIONS } from './panels/memory-operations-panel.js';
import { PRECISION } from './panels/precision-panel.js';
import { RANKS } from './panels/ranks-panel.js';
import { ROOFLINE } from './panels/roofline-panel.js';
import { STEPS } from './panels/steps-panel.js';
import { TIMELINE } from './panels/timeline-panel.js';
import { UTILISATION } from './panels/utilisation-panel.js';

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
