/** Time of kernels by element type of their arithmetic. */
import { lacking } from '../capture-hints.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { inPalette, parts, strip, type StripPart } from '../figures/strip.js';

const WHOLE = 'overview.kernels.time';

function make(view: PanelView): PanelContent {
  const { kernels } = view.profile.overview;
  if (kernels === null) return lacking(view, 'kernels');
  const list = kernels.precision.map(({ name }, at): StripPart => ({
    name: name === 'na' ? 'unknown' : name,
    field: `overview.kernels.precision.${at}.time`,
    count: `overview.kernels.precision.${at}.count`,
    colour: name === 'na' ? 'var(--idle)' : inPalette(at),
  }));
  return [strip(view, 'Kernel time by precision', list, WHOLE), parts(view, 'Kernel time by precision', list, WHOLE)];
}

export const PRECISION: Panel = { id: 'precision', title: 'Precision', width: 2, make };
