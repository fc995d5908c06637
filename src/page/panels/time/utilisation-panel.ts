/** Utilisation of devices and host over time. */
import { lacking } from '../../capture-hints.js';
import { chart } from '../../charts/chart.js';
import type { ChartOption } from '../../charts/chart-option.js';
import { below, GRID, left, tips } from '../../charts/chart-style.js';
import { elementAt } from '../../../containers/element.js';
import { LAUNCHING } from '../../../prof/html/timeline/timeline-data.js';
import { element, note } from '../../document/dom-elements.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';
import { legend, swatch } from '../../figures/strip.js';
import { quantityText } from '../../document/units.js';

interface UtilisationLine {
  readonly name: string;
  readonly colour: string;
  readonly shares: readonly number[];
  readonly filled: boolean;
}

const mean = (shares: readonly number[]): number | null =>
  shares.length === 0 ? null : shares.reduce((all, one) => all + one, 0) / shares.length;

/** All curves have the same number of spans. */
const spansOf = (curves: readonly UtilisationLine[]): number => elementAt(curves, 0).shares.length;

function option(curves: readonly UtilisationLine[], start: number, width: number): ChartOption {
  const at = (i: number): number => start + i * width;
  const end = at(spansOf(curves));
  return {
    grid: GRID,
    xAxis: below("time from the profile's start", 'ns', { min: start, max: end }),
    yAxis: left('share', { min: 0, max: 1, splitNumber: 2 }),
    tooltip: tips('axis', (i) => [
      `${quantityText(at(i), 'ns')} – ${quantityText(at(i + 1), 'ns')}`,
      // A point is drawn at the end of the last span too.
      ...curves.map(({ name, shares }) => [name, quantityText(shares[i] ?? null, 'share')] as const),
    ]),
    series: curves.map(({ name, colour, shares, filled }) => ({
      type: 'line',
      name,
      step: 'end',
      symbol: 'none',
      silent: true,
      // The end of the last span repeats its value.
      data: [...shares, ...shares.slice(-1)].map((share, i) => [at(i), share]),
      lineStyle: { color: colour, width: filled ? 1 : 1.5 },
      ...(filled ? { areaStyle: { color: colour, opacity: 0.3 } } : {}),
      emphasis: { disabled: true },
    })),
  };
}

function make(view: PanelView): PanelContent {
  const { devices, host, start, width } = view.profile.utilisation;
  if (devices.length === 0) return lacking(view, 'work');
  const rows = devices.map((device) => {
    const curves: UtilisationLine[] = [
      { name: 'Busy', colour: 'var(--ink)', shares: device.busy, filled: false },
      { name: 'Compute', colour: 'var(--compute)', shares: device.compute, filled: true },
      { name: 'Communication', colour: 'var(--communication)', shares: device.communication, filled: true },
      { name: 'Copies and sets', colour: 'var(--memory)', shares: device.memory, filled: true },
    ];
    const some = curves.filter(({ shares }, i) => i === 0 || shares.some((share) => share > 0));
    return { title: `Device ${device.device}`, curves: some };
  });
  if (host !== null) {
    const launching = { name: `Some thread ${LAUNCHING}`, colour: 'var(--host)', shares: host, filled: true };
    rows.push({ title: `Host, ${LAUNCHING}`, curves: [launching] });
  }
  const charts = rows.flatMap(({ title, curves }) => {
    const means = curves.map(({ name, shares }) => `${name} ${quantityText(mean(shares), 'share')}`);
    const label = `${title} over time, mean of ${spansOf(curves)} spans: ${means.join(', ')}`;
    return [
      element('h3', {}, title),
      legend(
        curves.map(({ name, colour, shares }) => [
          swatch(colour),
          `${name}, mean ${quantityText(mean(shares), 'share')}`,
        ]),
      ),
      chart(label, devices.length > 2 ? 120 : 160, () => option(curves, start, width)),
    ];
  });
  const when = note(`The first work of a device begins ${quantityText(start, 'ns')} after the profile's start.`);
  const none = host === null ? [note('Host: the profile holds no launches.')] : [];
  return [...charts, ...none, when];
}

export const UTILISATION: Panel = { id: 'utilisation', title: 'Utilisation over time', width: 6, make };
