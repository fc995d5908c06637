/** Kernel time by use of the matrix unit, and by element type of the arithmetic. */
import { lacking } from '../capture-hints.js';
import { element } from '../document/dom-elements.js';
import type { MatrixUnitTime } from '../../prof/summary/summary-data.js';
import { difference, fieldsOf, type Field, type NumberKey } from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { matrixUnitName } from '../figures/shown-names.js';
import { followsWork, type Panel, type PanelContent, type PanelView } from '../panel.js';
import { parts, strip, inPalette, type StripPart } from '../figures/strip.js';

function makePrecision(view: PanelView): PanelContent {
  const { kernels } = view.profile.overview;
  if (kernels === null) return lacking(view, 'kernels');
  const list = kernels.precision.map((tally, at): StripPart => {
    const { name } = tally;
    const fieldOf = fieldsOf(`overview.kernels.precision.${at}`, tally);
    return {
      name: name === 'na' ? 'unknown' : name,
      field: fieldOf('time'),
      count: fieldOf('count'),
      colour: name === 'na' ? 'var(--idle)' : inPalette(at),
    };
  });
  const whole = fieldsOf('overview.kernels', kernels)('time');
  return [strip('Kernel time by precision', list, whole), parts('Kernel time by precision', list, whole)];
}

export const PRECISION: Panel = {
  id: 'precision',
  title: 'Precision',
  width: 2,
  make: makePrecision,
  follows: followsWork,
};

const PARTS: readonly (readonly [name: string, key: NumberKey<MatrixUnitTime>, colour: string])[] = [
  ['used', 'used', 'var(--memory)'],
  ['unused by a product', 'unused', 'var(--idle-host)'],
  ['product, undetermined', 'undetermined', 'var(--communication)'],
  ['not applicable: not a product', 'notApplicable', 'var(--host)'],
  ['unknown', 'unknown', 'var(--idle)'],
];

type TimeOf = (key: NumberKey<MatrixUnitTime>) => Field;

/** Time of the products that could use the unit, and whether they do. */
function eligibleText(timeOf: TimeOf, unit: string): (Node | string)[] {
  const [could, does] = [timeOf('eligible'), timeOf('eligibleUsed')];
  if (could.value === null || does.value === null) return [`It is unknown which products could use the ${unit}.`];
  if (could.value === 0) return [`No product could use the ${unit}.`];
  const time = figure(could, 'ns');
  if (does.value === could.value) return [`All products that could use the ${unit} do: `, time, '.'];
  const left = figure(difference(could, does), 'ns');
  return [`Products that could use the ${unit}: `, time, '; ', left, ' of that does not.'];
}

function makeMatrixUnit(view: PanelView): PanelContent {
  const { kernels, header } = view.profile.overview;
  if (kernels === null) return lacking(view, 'kernels');
  const unit = matrixUnitName(header);
  const label = `Kernel time by use of the ${unit}`;
  const timeOf = fieldsOf('overview.kernels.matrixUnit', kernels.matrixUnit);
  const list = PARTS.map(([name, key, colour]): StripPart => ({ name, colour, field: timeOf(key) }));
  const whole = fieldsOf('overview.kernels', kernels)('time');
  return [
    strip(label, list, whole),
    parts(label, list, whole),
    ...(view.span === null ? [element('p', {}, ...eligibleText(timeOf, unit))] : []),
  ];
}

export const MATRIX_UNIT: Panel = {
  id: 'matrix-unit',
  title: 'Matrix unit',
  width: 2,
  make: makeMatrixUnit,
  follows: followsWork,
};
