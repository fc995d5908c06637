/** Time of kernels by use of the matrix unit. */
import { lacking } from '../capture-hints.js';
import { element } from '../document/dom-elements.js';
import { figure } from '../figures/figure.js';
import { valueOf } from '../figures/field.js';
import { matrixUnitName } from '../matrix-unit-names.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { parts, strip, type StripPart } from '../figures/strip.js';

const WHOLE = 'overview.kernels.time';
const of = (name: string): string => `overview.kernels.matrixUnit.${name}`;

const PARTS: readonly StripPart[] = [
  { name: 'used', field: of('used'), colour: 'var(--memory)' },
  { name: 'unused by a product', field: of('unused'), colour: 'var(--idle-host)' },
  { name: 'product, undetermined', field: of('undetermined'), colour: 'var(--communication)' },
  { name: 'not applicable: no product', field: of('notApplicable'), colour: 'var(--host)' },
  { name: 'not known', field: of('unknown'), colour: 'var(--idle)' },
];

/** What products could use the unit, and whether they do. */
function eligibleText(view: PanelView, unit: string): (Node | string)[] {
  const [all, used] = [of('eligible'), of('eligibleUsed')];
  const [could, does] = [valueOf(view, all), valueOf(view, used)];
  if (could === null || does === null) return [`Which products could use the ${unit} is not known.`];
  if (could === 0) return [`No product could use the ${unit}.`];
  const time = figure(view, all, 'ns');
  if (does === could) return [`All products that could use the ${unit} do: `, time, '.'];
  const left = figure(view, `${all} - ${used}`, 'ns');
  return [`Products that could use the ${unit}: `, time, '. Of it, ', left, ' does not.'];
}

function make(view: PanelView): PanelContent {
  const { kernels, header } = view.profile.overview;
  if (kernels === null) return lacking(view, 'kernels');
  const unit = matrixUnitName(header);
  const label = `Kernel time by use of the ${unit}`;
  return [
    strip(view, label, PARTS, WHOLE),
    parts(view, label, PARTS, WHOLE),
    element('p', {}, ...eligibleText(view, unit)),
  ];
}

export const MATRIX_UNIT: Panel = { id: 'matrix-unit', title: 'Tensor cores (matrix unit)', width: 2, make };
