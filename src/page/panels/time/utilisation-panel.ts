/** Utilisation of devices and host over time: of all profiles together, and of the shown one. */
import type { JointCurves, BinnedValues } from '../../../prof/html/utilisation/utilisation-data.js';
import { LAUNCHING } from '../../../prof/html/timeline/timeline-data.js';
import { deviceWords } from '../../../record/glossary.js';
import { lacking } from '../../capture-hints.js';
import { note, element } from '../../document/dom-elements.js';
import { quantityText, type DisplayUnit } from '../../document/units.js';
import { inPalette, legend, swatch } from '../../figures/strip.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';
import { elementAt } from '../../../containers/element.js';
import { chart } from '../../charts/chart.js';
import type { ChartOption } from '../../charts/chart-values.js';
import { below, GRID, left, leftFromZero, tips } from '../../charts/chart-style.js';

interface SpanLine {
  readonly name: string;
  readonly colour: string;
  /** Value by span; null when it is unknown. */
  readonly values: BinnedValues['values'];
  /** Whether it is drawn as an area. */
  readonly isFilled?: boolean;
  readonly isDashed?: boolean;
}

interface SpanChart extends Pick<BinnedValues, 'start' | 'width'> {
  readonly title: string;
  /** Lines, all with the same number of spans. */
  readonly lines: readonly SpanLine[];
  readonly unit: DisplayUnit;
  /** The zero point of times. */
  readonly axis?: string;
  readonly height: number;
}

const mean = (values: BinnedValues['values']): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((all, value) => all + value, 0) / known.length;
};

const spansOf = (lines: readonly SpanLine[]): number => elementAt(lines, 0).values.length;

/** A heading, a legend with means, and the chart. */
function spanChart(content: SpanChart): HTMLElement[] {
  const { title, lines, unit, height } = content;
  const means = lines.map(({ name, values }) => `${name}, mean ${quantityText(mean(values), unit)}`);
  return [
    element('h3', {}, title),
    legend(lines.map(({ colour }, at) => [swatch(colour), element('span', { class: 'text' }, elementAt(means, at))])),
    chart(`${title} over time, in ${spansOf(lines)} spans: ${means.join('; ')}`, height, () => option(content)),
  ];
}

function option({ lines, unit, start, width, axis = "time from the profile's start" }: SpanChart): ChartOption {
  const at = (i: number): number => start + i * width;
  const highest = lines.reduce((most, { values }) => values.reduce<number>((a, b) => Math.max(a, b ?? 0), most), 0);
  return {
    grid: GRID,
    xAxis: below(axis, 'ns', { min: start, max: at(spansOf(lines)) }),
    yAxis: unit === 'share' ? left(unit, { min: 0, max: 1, splitNumber: 2 }) : leftFromZero(unit, highest),
    tooltip: tips('axis', (i) => [
      `${quantityText(at(i), 'ns')} – ${quantityText(at(i + 1), 'ns')}`,
      // A point is also drawn at the end of the last span.
      ...lines.map(({ name, values }) => [name, quantityText(values[i] ?? null, unit)] as const),
    ]),
    series: lines.map(({ name, colour, values, isFilled = false, isDashed = false }) => ({
      type: 'line',
      name,
      step: 'end',
      symbol: 'none',
      silent: true,
      // The end of the last span repeats its value.
      data: [...values, ...values.slice(-1)].map((value, i) => [at(i), value]),
      lineStyle: { color: colour, width: isFilled ? 1 : 1.5, ...(isDashed ? { type: 'dashed' as const } : {}) },
      ...(isFilled ? { areaStyle: { color: colour, opacity: 0.3 } } : {}),
      emphasis: { disabled: true },
    })),
  };
}

const HEIGHT = 160;
/** Height of each of several devices' charts. */
const LOW = 120;

/** All devices, or hosts, of the page in one chart. */
function jointChart(
  { start, width, lines, members, isByMachine }: JointCurves,
  labels: Pick<SpanChart, 'title' | 'unit' | 'axis'>,
): HTMLElement[] {
  const drawn = lines.map(({ name, values }, at): SpanLine => {
    if (at === 0) return { name, values, colour: 'var(--ink)' };
    return { name, values, colour: inPalette(at - 1), isDashed: true };
  });
  const title = `${labels.title}: ${members} together${isByMachine ? ', mean of each machine' : ''}`;
  return spanChart({ ...labels, title, start, width, lines: drawn, height: HEIGHT });
}

function jointCharts({ data: { job, leftOut } }: PanelView): HTMLElement[] {
  if (job === null) return [];
  const which = leftOut > 0 ? ' of the profiles on this page' : '';
  const { isAligned, devices, cpu } = job.utilisation;
  const axis = isAligned ? "time from the job's start" : "time from each profile's start";
  return [
    ...(devices === null ? [] : jointChart(devices, { title: `Busy devices${which}`, unit: 'share', axis })),
    ...(cpu === null ? [] : jointChart(cpu, { title: `Busy CPU cores${which}`, unit: 'cores', axis })),
  ];
}

function ownCharts({ profile: { utilisation } }: PanelView): HTMLElement[] {
  const { devices, host, cpu, start, width } = utilisation;
  const ofDevices = devices.flatMap((device) => {
    const lines: SpanLine[] = [
      { name: 'Busy', colour: 'var(--ink)', values: device.busy },
      { name: 'Compute', colour: 'var(--compute)', values: device.compute, isFilled: true },
      { name: 'Communication', colour: 'var(--communication)', values: device.communication, isFilled: true },
      { name: 'Copies and memsets', colour: 'var(--memory)', values: device.memory, isFilled: true },
    ];
    const some = lines.filter(({ values }, i) => i === 0 || values.some((value) => value !== null && value > 0));
    const height = devices.length > 2 ? LOW : HEIGHT;
    return spanChart({ title: `Device ${device.device}`, lines: some, unit: 'share', start, width, height });
  });
  const filled = { colour: 'var(--host)', isFilled: true };
  const frame = { start, width, height: devices.length > 2 ? LOW : HEIGHT };
  const launching = { name: `CPU ${LAUNCHING}`, values: host ?? [], ...filled };
  return [
    ...ofDevices,
    ...(host === null ? [] : spanChart({ title: `CPU ${LAUNCHING}`, lines: [launching], unit: 'share', ...frame })),
    ...(cpu === null
      ? []
      : spanChart({
          ...frame,
          ...{ title: 'Busy CPU cores', start: cpu.start, width: cpu.width, unit: 'cores' },
          lines: [{ name: 'CPU cores used by traced threads', values: cpu.values, ...filled }],
        })),
  ];
}

function make(view: PanelView): PanelContent {
  const { devices, host, cpu, start } = view.profile.utilisation;
  if (devices.length === 0 && cpu === null) return lacking(view, 'work');
  // No CPU launches the instructions of a NeuronCore.
  const isLaunched = deviceWords(view.profile.overview.header).runs === 'launches';
  const none = host === null && devices.length > 0 && isLaunched ? [note('CPU: the profile has no launches.')] : [];
  const first = quantityText(start, 'ns');
  const when =
    devices.length === 0 ? [] : [note(`The first work of a device begins ${first} after the profile's start.`)];
  // A span is one of this profile, by its clock.
  return [...(view.span === null ? jointCharts(view) : []), ...ownCharts(view), ...none, ...when];
}

export const UTILISATION: Panel = {
  ...{ id: 'utilisation', title: 'Utilisation over time', width: 6, make },
  follows: () => true,
};
