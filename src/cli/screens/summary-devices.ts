/** Sections of a summary about where the time of devices went. */
import type { DeviceTime } from '../../prof/summary/summary-data.js';
import { idleCoresText } from '../../prof/neuron/machine.js';
import { peaksOf } from '../../prof/roofline/peaks.js';
import { unrecordedCopiesText } from '../../prof/steps/transfers.js';
import { inDeviceWords } from '../../record/glossary.js';
import { UNKNOWN, type TimeUnit } from '../../record/units.js';
import type { ProfileRecord } from '../../record/record.js';
import { grouped, many } from '../../record/plural.js';
import { plain, share, TABLE, type About, type Section } from './summary-section.js';

/** One device as lines, several as a table. */
export function devicesSections({ overview, unit, next }: About): Section[] {
  const { kernels } = overview;
  const devices = overview.devices.map((device) => named(device, overview.header));
  const [only] = devices;
  if (only === undefined) {
    return kernels === null ? [] : [{ ...plain('Devices: na, no record has a start time', null), rows: [] }];
  }
  const section = devices.length === 1 ? deviceSection(only, unit, next) : tableOfDevices(devices, unit, next);
  const notes = [idleCoresText(overview.header, devices), unrecordedCopiesText(devices)].filter(
    (text) => text !== null,
  );
  const worded = section.rows.map((row) => row.map((cell) => inDeviceWords(cell, overview.header)));
  return [{ ...section, title: [section.title, ...notes].join('; '), rows: worded }];
}

/** A device without a name is called after the part whose peak rates count for it, else after its architecture. */
function named(device: DeviceTime, header: ProfileRecord | null): DeviceTime {
  const recorded = header?.devices.find(({ id }) => id === device.device) ?? null;
  const { origin, name, arch } = peaksOf(recorded);
  return { ...device, name: device.name ?? (origin === 'inferred' ? name : arch) };
}

type Line = readonly [name: string, ns: number | null, note: string];

function deviceSection(device: DeviceTime, unit: TimeUnit, next: About['next']): Section {
  const name = device.name === null ? '' : ` (${device.name.replace(' (inferred)', ', inferred')})`;
  return {
    ...plain(
      `Device ${device.device}${name}: span ${unit.text(device.span)}, first to last work`,
      next(deviceWords(device)),
    ),
    head: ['', 'time', 'share', ''],
    right: [1, 2],
    rows: [
      ...busyLines(device, unit),
      ...engineLines(device),
      ...idleLines(device, unit),
      ...missingLines(device, unit),
      ...otherLines(device, unit),
    ].map(([line, ns, note]) => [
      line,
      ns === null ? UNKNOWN : unit.text(ns),
      ns === null ? UNKNOWN : share(ns, device.span),
      note,
    ]),
  };
}

/** Idle time below this share of the span is not worth investigating. */
const SMALL = 0.05;

/** Arguments of the command about idle time, which depends on what ended the gaps. */
function deviceWords({ gaps, idle, span, counts }: DeviceTime): string {
  const [host, queue] = [gaps?.host ?? 0, gaps?.queue ?? 0];
  const canStep = counts.kernels + counts.communications + counts.graphs > 0;
  const isSmall = idle !== null && idle <= SMALL * span;
  if (!isSmall && queue > host && counts.kernels > 0) return `-c idx,op,kernel,queue,sil --sort queue ${TABLE}`;
  return isSmall && canStep ? 'steps' : 'advise';
}

function busyLines(device: DeviceTime, unit: TimeUnit): Line[] {
  const { busy, compute, communication, memory, exposed, copiesAlone, setsAlone, counts } = device;
  const { kernels, communications, graphs, copies, sets } = counts;
  const addedUp = (ns: number): string => `, sum ${unit.text(ns)}`;
  const whole = graphs > 0 ? `, ${many(graphs, 'graph launch')} as a whole` : '';
  const alone = copiesAlone !== null && copies + sets > 0 ? `; exposed ${unit.text(copiesAlone + setsAlone)}` : '';
  const operations = many(communications, 'operation');
  return [
    busy === null && device.bounds !== undefined ? ['busy, at least', device.bounds.busy, ''] : ['busy', busy, ''],
    ['  compute', compute, `${many(kernels, 'kernel')}${addedUp(device.computeSum)}${whole}`],
    ...(communications === 0
      ? ([['  communication', communication, operations]] as const)
      : ([
          ['  communication', communication, `${operations}${addedUp(device.communicationSum)}`],
          ['    exposed', exposed, 'no compute runs'],
        ] as const)),
    ['  copies, memsets', memory, memory === null ? '' : `${many(copies, 'copy')}, ${many(sets, 'memset')}${alone}`],
  ];
}

/** The engines of a device. Several run at once. */
const engineLines = ({ engines = [] }: DeviceTime): Line[] =>
  engines.map(({ engine, active }, at) => [
    `  engine ${engine}`,
    active,
    at === 0 ? 'active; engines run in parallel' : '',
  ]);

function idleLines({ idle, bounds, idleInWaits, gaps, counts }: DeviceTime, unit: TimeUnit): Line[] {
  if (idle === null && bounds !== undefined) return [['idle, at most', bounds.idle, '']];
  if (gaps === null) return [['idle', idle, '']];
  const { count, longest, host, queue, transfer = null, unknown } = gaps;
  const lines: (readonly [name: string, ns: number | null, note: string])[] = [
    ['  host', host, 'waiting for launches'],
    ['  queue', queue, 'gaps between queued kernels'],
    ['  transfer', transfer, 'the program waits for transfers that it started'],
    ['  unknown', unknown, 'launch not recorded'],
  ];
  const waits = counts.syncs === 0 || idleInWaits === null ? '' : `; in waits ${unit.text(idleInWaits)}`;
  const note = count === 0 ? '' : `${many(count, 'gap')}, longest ${unit.text(longest)}${waits}`;
  return [['idle', idle, note], ...lines.filter((line): line is Line => line[1] !== null && line[1] > 0)];
}

/** Lines about time that is neither busy nor idle. */
function missingLines({ missing }: DeviceTime, unit: TimeUnit): Line[] {
  if (missing === null) return [];
  const { launches, untimed = 0, api, time, start, end } = missing;
  const where = start === null || end === null ? '' : `, from ${unit.text(start)} to ${unit.text(end)}`;
  const lost = launches > 0 ? [`${many(launches, 'call')} of ${api ?? 'graphs'} without work${where}`] : [];
  const work = untimed > 0 ? [`${many(untimed, 'piece')} of work without a duration`] : [];
  const said = [...lost, ...work].join('; ');
  return [['missing', time, said === '' ? 'device work is not recorded' : said]];
}

function otherLines({ sync, counts, linked, span }: DeviceTime, unit: TimeUnit): Line[] {
  const { syncs, ...work } = counts;
  const all = Object.values(work).reduce((sum, count) => sum + count, 0);
  const isPart = linked !== null && linked.activities < all;
  return [
    ...(syncs === 0 ? [] : [['waits', sync, `${many(syncs, 'wait')} of the CPU or a stream, not work`] as const]),
    ...(isPart
      ? [
          [
            'launch known',
            linked.busy,
            `${grouped(linked.activities)} of ${grouped(all)} activities over ${unit.text(linked.span)} (${share(linked.span, span)})`,
          ] as const,
        ]
      : []),
  ];
}

function tableOfDevices(devices: readonly DeviceTime[], unit: TimeUnit, next: About['next']): Section {
  const hasTransfers = devices.some(({ gaps }) => gaps?.transfer !== undefined);
  const idleHead = ['idle', 'host', 'queue', ...(hasTransfers ? ['transfer'] : [])];
  const head = ['device', 'span', 'busy', '', 'compute', 'comm', 'exposed', 'copies', ...idleHead];
  return {
    ...plain(`Devices: ${devices.length}, times in ${unit.name}`, next('advise')),
    head: [...head, ''],
    isHeaded: true,
    right: head.map((_, i) => i),
    // Parts of idle and busy time.
    optional: [10, 9, 7, 5],
    rows: devices.map((time) => {
      const { device, name, span, busy, bounds, compute, communication, exposed, memory, idle, gaps, missing } = time;
      const ended = [gaps?.host ?? null, gaps?.queue ?? null, ...(hasTransfers ? [gaps && (gaps.transfer ?? 0)] : [])];
      const cellOf = (ns: number | null): string => (ns === null ? UNKNOWN : unit.bare(ns));
      const idleCell = idle === null && bounds !== undefined ? `≤ ${unit.bare(bounds.idle)}` : cellOf(idle);
      const cells = [...[compute, communication, exposed, memory].map(cellOf), idleCell, ...ended.map(cellOf)];
      const launches = missing === null || missing.launches === 0 ? '' : ` (${many(missing.launches, 'launch')})`;
      const lost = missing === null ? [] : [`${unit.bare(missing.time)} missing${launches}`];
      const remark = [...lost, ...(name === null ? [] : [name])].join(', ');
      const [least, known] = busy === null && bounds !== undefined ? ['≥ ', bounds.busy] : ['', busy];
      const part =
        known === null ? [UNKNOWN, UNKNOWN] : [`${least}${unit.bare(known)}`, `${least}${share(known, span)}`];
      return [String(device), unit.bare(span), ...part, ...cells, remark];
    }),
  };
}
