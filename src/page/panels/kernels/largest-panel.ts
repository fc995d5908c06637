/** What takes most of the devices' span: ops, or kernels if most of them have no op, and all other activities. */
import type { KernelTotal, OpTotal } from '../../../prof/html/kernels/kernel-data.js';
import type { DeviceTime } from '../../../prof/summary/summary-data.js';
import { deviceWords } from '../../../record/glossary.js';
import { lacking } from '../../capture-hints.js';
import { panelLink } from '../../document/panel-link.js';
import { element } from '../../document/dom-elements.js';
import { kernelsNamed, ofOp } from '../../document/timeline-target.js';
import { eventsLink } from '../../document/timeline-link.js';
import {
  BOUND_SIGNS,
  boundedTimeOf,
  difference,
  fieldsOf,
  ratio,
  sumOf,
  total,
  wholeSumOf,
  type Field,
  type NumberKey,
} from '../../figures/field.js';
import { WORK_NAMES } from '../../figures/shown-names.js';
import { figureColumn, listed, whyNoOp, withValues, type Listed } from '../../figures/listed-rows.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { followsDevices, type Panel, type PanelContent, type PanelView } from '../../panel.js';

const SHOWN = 5;

/** Share of kernel time without an op from which kernels are listed instead of ops. */
const MOSTLY_UNKNOWN = 0.5;

/** Sum of the shares above which a note says why it exceeds 1. */
const OVERLAPPING = 1.005;

/** A part of the devices' span. */
interface Part {
  readonly name: string;
  readonly time: Field;
  /** The sign before the time and its share, if the time is a bound. */
  readonly sign?: string;
  readonly link: (text: string) => HTMLElement | null;
  readonly ofPeak?: Field;
  readonly bound?: string | undefined;
}

const NO_OP = 'no op';
const DEVICES = 'overview.devices.*';
const NOTHING: Field = { name: '', value: null };

/**
 * Engines of a NeuronCore work at the same time, so instructions are not parts of its span: their share is that of the
 * tables. A TPU runs one instruction after the other.
 */
const hasEngines = ({ profile }: PanelView): boolean => deviceWords(profile.overview.header).vendor === 'neuron';

/** The time in which a kernel or op computed. For instructions it is all their time, although a part communicates. */
function timeOf(
  view: PanelView,
  path: string,
  row: Pick<Listed<KernelTotal | OpTotal>, 'at' | 'time' | 'communicating'>,
): Field {
  const field = fieldsOf(`${path}.${row.at}`, row);
  if (row.communicating === undefined || hasEngines(view)) return field('time');
  return difference(field('time'), field('communicating'));
}

/** Which of the two peaks the op is nearer to. */
const ofPeak = ({ ofCompute, ofMemory }: OpTotal): 'ofCompute' | 'ofMemory' =>
  (ofMemory ?? -1) > (ofCompute ?? -1) ? 'ofMemory' : 'ofCompute';

const opParts = (view: PanelView): Part[] =>
  listed(view.profile.ops.shown).map((row) => ({
    name: row.op ?? NO_OP,
    time: timeOf(view, 'ops.shown', row),
    link: (text) => (row.op === null ? panelLink('kernels', text) : eventsLink(view, text, ofOp(row.op))),
    ofPeak: fieldsOf(`ops.shown.${row.at}`, row)(ofPeak(row)),
    bound: row.bound?.name,
  }));

const kernelParts = (view: PanelView): Part[] =>
  listed(view.profile.kernels.shown).map((row) => ({
    name: row.name,
    time: timeOf(view, 'kernels.shown', row),
    link: (text) => eventsLink(view, text, kernelsNamed(row.name)),
  }));

const lengthOf = ({ time }: Part): number => time.value ?? 0;

const largestOf = (all: readonly Part[]): Part[] => all.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, SHOWN);

/** The largest, the rest of the time in which the devices computed, and what else the devices did: they add up to the span. */
function partsOf({ profile }: PanelView, all: readonly Part[], word: string, panel: string): Part[] {
  const { devices } = profile.overview;
  const largest = largestOf(all);
  const sums = (key: NumberKey<DeviceTime>): Field => wholeSumOf(DEVICES, devices, key);
  const missing = sumOf(
    `${DEVICES}.missing`,
    devices.map((device) => device.missing),
    'time',
  );
  const part = (name: string, id: string, time: Field): Part => ({ name, time, link: (text) => panelLink(id, text) });
  const idle = boundedTimeOf(DEVICES, devices, 'idle');
  const recorded = devices.filter(({ bounds }) => bounds === undefined);
  const copies = (['copiesAlone', 'setsAlone'] as const).map((key) => wholeSumOf(DEVICES, recorded, key));
  const copiesSign = recorded.length < devices.length ? { sign: BOUND_SIGNS.busy } : {};
  const others = difference(sums('compute'), ...largest.filter((entry) => lengthOf(entry) > 0).map(({ time }) => time));
  const rows = [
    ...largest,
    part(WORK_NAMES.communication[0], 'collectives', sums('exposed')),
    { ...part('Exposed copies and memsets', 'memory-operations', total(...copies)), ...copiesSign },
    { ...part('Idle', 'idle', idle.field), sign: idle.sign },
    part(WORK_NAMES.missing[0], 'diagnostics', missing),
  ].sort((a, b) => lengthOf(b) - lengthOf(a));
  return [...rows, part(`Other ${word}s`, panel, others)].filter((entry) => lengthOf(entry) > 0);
}

function make(view: PanelView): PanelContent {
  const { ops, kernels, verdict, overview } = view.profile;
  if (kernels.shown.length === 0) return lacking(view, 'kernels');
  const unknown = ops.shown.find(({ op }) => op === null)?.time ?? 0;
  const areKernels = ops.time === null || ops.time <= 0 || unknown > MOSTLY_UNKNOWN * ops.time;
  const word = areKernels ? deviceWords(overview.header).work : 'op';
  const panel = areKernels ? 'kernels' : 'ops';
  const all = areKernels ? kernelParts(view) : opParts(view);
  const areConcurrent = hasEngines(view);
  const rows = areConcurrent ? largestOf(all) : partsOf(view, all, word, panel);
  const work = areKernels ? fieldsOf('overview.kernels', overview.kernels)('time') : fieldsOf('ops', ops)('time');
  const span = areConcurrent ? work : sumOf(DEVICES, overview.devices, 'span');
  const shareOf = ({ time }: Part): Field => ratio(time, span);
  // Means over devices, as in the verdict above.
  const isMean = (verdict?.devices ?? 1) > 1;
  const devices = fieldsOf('verdict', verdict)('devices');
  const worded = ({ sign = '' }: Part, text: string): string => `${sign}${text}`;
  const columns: TableColumn<Part>[] = [
    { title: 'Part', cell: ({ name }) => name, link: ({ link }, text) => link(text) },
    figureColumn(areConcurrent ? 'Of instruction time' : 'Of span', 'share', shareOf, {
      bar: (row) => shareOf(row).value,
      worded,
    }),
    figureColumn('Time', 'ns', ({ time }) => (isMean ? ratio(time, devices) : time), { worded }),
    figureColumn('Of peak', 'share', (row) => row.ofPeak ?? NOTHING),
    { title: 'Bound by', cell: ({ bound }) => bound ?? null },
  ];
  const whole = rows.reduce((sum, row) => sum + (shareOf(row).value ?? 0), 0);
  const overlap =
    whole > OVERLAPPING ? ` Overlapping work counts in full, so the shares add up to more than 100 %.` : '';
  return [
    table({
      caption: areConcurrent ? 'Largest parts of instruction time' : 'Largest parts of the span',
      columns: withValues(columns, rows),
      rows,
      sortedBy: null,
      isChart: true,
    }),
    ...(rows.some(({ name }) => name === NO_OP) ? whyNoOp(view) : []),
    element('p', {}, panelLink(panel, `All ${word}s`), overlap),
  ];
}

export const LARGEST: Panel = { id: 'largest', title: 'Where the time goes', width: 3, make, follows: followsDevices };
