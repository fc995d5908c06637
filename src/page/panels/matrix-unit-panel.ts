/** Time of kernels by use of the matrix unit. */
import { lacking } from '../capture-hints.js';
import { element } from '../document/dom-elements.js';
import { figure } from '../figures/figure.js';
import { matrixUnitName } from '../matrix-unit-names.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { parts, strip, type StripPart } from '../figures/strip.js';

const WHOLE = 'overview.kernels.time';
const of = (name: string): string => `overview.kernels.matrixUnit.${name}`;

const PARTS: readonly StripPart[] = [
  { name: 'used', field: of('used'), colour: 'var(--memory)' },
  { name: 'unused by a product', field: of('unused'), colour: 'var(--idle-host)' },
  { name: 'product, undetermined', field: of('untold'), colour: 'var(--communication)' },
  { name: 'not applicable: no product', field: of('notApplicable'), colour: 'var(--host)' },
  { name: 'not known', field: of('unknown'), colour: 'var(--idle)' },
];

function make(view: PanelView): PanelContent {
  const { kernels, header } = view.profile.overview;
  if (kernels === null) return lacking(view, 'kernels');
  const unit = matrixUnitName(header);
  const eligible = element(
    'p',
    {},
    `Products whose types the ${unit} take: `.replace('unit take', 'unit takes').replace('engine take', 'engine takes'),
    figure(view, of('eligible'), 'ns'),
    ', of which ',
    figure(view, of('eligibleUsed'), 'ns'),
    ' on it and ',
    figure(view, `${of('eligible')} - ${of('eligibleUsed')}`, 'ns'),
    ' not: unused but eligible.',
  );
  const label = `Kernel time by use of the ${unit}`;
  return [strip(view, label, PARTS, WHOLE), parts(view, label, PARTS, WHOLE), eligible];
}

export const MATRIX_UNIT: Panel = { id: 'matrix-unit', title: 'Tensor cores (matrix unit)', width: 2, make };
