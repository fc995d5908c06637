/** Time of kernels by element type of their arithmetic. */
import { lacking } from '../capture-hints.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { fieldsOf } from '../figures/field.js';
import { inPalette, parts, strip, type StripPart } from '../figures/strip.js';

function make(view: PanelView): PanelContent {
  const { kernels } = view.profile.overview;
  if (kernels === null) return lacking(view, 'kernels');
  const list = kernels.precision.map((tally, at): StripPart => {
    const { name } = tally;
    const of = fieldsOf(`overview.kernels.precision.${at}`, tally);
    return {
      name: name === 'na' ? 'unknown' : name,
      field: of('time'),
      count: of('count'),
      colour: name === 'na' ? 'var(--idle)' : inPalette(at),
    };
  });
  const whole = fieldsOf('overview.kernels', kernels)('time');
  return [strip('Kernel time by precision', list, whole), parts('Kernel time by precision', list, whole)];
}

export const PRECISION: Panel = { id: 'precision', title: 'Precision', width: 2, make };
