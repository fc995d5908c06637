/** The figures of a summary, one per row, for the table formats. Base units, not rounded. */
import { rankOn } from '../../record/fields/stated-device.js';
import { column, knownColumn, int, real, str, type Column } from '../../table/column.js';
import type { PhaseSummary } from '../steps/serving/serving-summary.js';
import type {
  CpuSummary,
  CpuTally,
  DeviceTime,
  HostSummary,
  KernelSummary,
  MemoryOperations,
  ProfileSummary,
  StepSpread,
  Tally,
} from './summary-data.js';

type FigureUnit = 'ns' | 'tokens/s' | 'bytes' | 'bytes/s' | 'FLOP' | 'fraction' | 'count';

export interface Figure {
  readonly summary: ProfileSummary;
  readonly section: string;
  /** Null for figures of all devices together. */
  readonly device: number | null;
  /** The subject within the section: a kernel's name, a kind of copy, a step. */
  readonly name: string | null;
  readonly figure: string;
  readonly value: number | null;
  readonly unit: FigureUnit;
}

type Values = readonly (readonly [figure: string, value: number | null, unit: FigureUnit])[];
type Part = Pick<Figure, 'section' | 'device' | 'name'> & { readonly values: Values };

const part = (section: string, name: string | null, values: Values, device: number | null = null): Part => ({
  section,
  device,
  name,
  values,
});

export const figuresOf = (summary: ProfileSummary): Figure[] =>
  partsOf(summary).flatMap(({ values, ...place }) =>
    values.map(([figure, value, unit]) => ({ summary, ...place, figure, value, unit })),
  );

const partsOf = ({
  devices,
  kernels,
  memory,
  syncs,
  collectives,
  links,
  steps,
  host,
  cpu,
  diagnostics,
}: ProfileSummary): Part[] => [
  ...devices.map(deviceFigures),
  ...(kernels === null ? [] : kernelFigures(kernels)),
  ...(cpu === null ? [] : cpuFigures(cpu)),
  ...memory.map((operations) => movedFigures('memory', operations)),
  ...syncs.map((tally) => part('syncs', tally.name, tallied(tally))),
  ...collectives.map(({ bytes, ...tally }) =>
    part('collectives', tally.name, [...tallied(tally), ['bytes', bytes, 'bytes']]),
  ),
  ...links.map((operations) => movedFigures('links', operations)),
  ...(steps === null
    ? []
    : [
        part('steps', null, [['count', steps.count, 'count']]),
        ...(steps.host === null ? [] : [part('steps.host', null, spread(steps.host))]),
        part('steps.device', null, spread(steps.device)),
        ...(steps.serving ?? []).map(servingFigures),
        ...steps.list.map(({ step, device, iteration, span, busy, kernelTime, ownKernelTime }) =>
          part(
            'steps',
            String(step),
            [
              ['iteration', iteration, 'ns'],
              ['span', span, 'ns'],
              ['busy', busy, 'ns'],
              ['kernelTime', kernelTime, 'ns'],
              ['ownKernelTime', ownKernelTime, 'ns'],
            ],
            device,
          ),
        ),
      ]),
  ...(host === null ? [] : hostFigures(host)),
  ...Object.entries(diagnostics).map(([name, count]) => part('diagnostics', name, [['count', count, 'count']])),
];

const spread = ({ median, min, max, variation }: StepSpread): Values => [
  ['median', median, 'ns'],
  ['min', min, 'ns'],
  ['max', max, 'ns'],
  ['variation', variation, 'fraction'],
];

const servingFigures = (phase: PhaseSummary): Part =>
  part('serving', phase.phase, [
    ['steps', phase.steps, 'count'],
    ['contextTokens', phase.contextTokens, 'count'],
    ['generationTokens', phase.generationTokens, 'count'],
    ['time', phase.time, 'ns'],
    ['tokensPerS', phase.tokensPerS, 'tokens/s'],
    ['timePerOutputToken', phase.timePerOutputToken, 'ns'],
    ['deviceTime', phase.deviceTime, 'ns'],
    ['idle', phase.idle, 'ns'],
    ...Object.entries(phase.parts).map(([name, time]) => [name, time, 'ns'] as const),
  ]);

const tallied = ({ count, time, untimed }: Omit<Tally, 'name'>): Values => [
  ['count', count, 'count'],
  ['time', time, 'ns'],
  ...(untimed === undefined ? [] : [['untimed', untimed, 'count'] as const]),
];

const movedFigures = (section: string, { kind, bytes, bytesPerS, unsized, ...tally }: MemoryOperations): Part =>
  part(section, kind, [
    ...tallied(tally),
    ['bytes', bytes, 'bytes'],
    ...(unsized === undefined ? [] : [['unsized', unsized, 'count'] as const]),
    ['bytesPerS', bytesPerS, 'bytes/s'],
  ]);

function deviceFigures(device: DeviceTime): Part {
  const { counts, gaps, linked, missing } = device;
  const times = [
    'span',
    'busy',
    'idle',
    'compute',
    'communication',
    'memory',
    'sync',
    'exposed',
    'copiesAlone',
    'setsAlone',
    'idleInWaits',
    'kernelSum',
    'computeSum',
    'communicationSum',
  ] as const;
  return part(
    'device',
    device.name,
    [
      ...times.map((name) => [name, device[name], 'ns'] as const),
      ...Object.entries(device.bounds ?? {}).map(([name, time]) => [`bounds.${name}`, time, 'ns'] as const),
      ...Object.entries(counts).map(([name, count]) => [name, count, 'count'] as const),
      ...(device.engines ?? []).map(({ engine, active }) => [`engine.${engine}`, active, 'ns'] as const),
      ['gaps', gaps?.count ?? null, 'count'],
      ...(['longest', 'host', 'queue', 'unknown'] as const).map(
        (name) => [`gaps.${name}`, gaps?.[name] ?? null, 'ns'] as const,
      ),
      ...(gaps?.transfer === undefined ? [] : [['gaps.transfer', gaps.transfer, 'ns'] as const]),
      ['missing', missing?.launches ?? null, 'count'],
      ['missing.time', missing?.time ?? null, 'ns'],
      ['linked', linked?.activities ?? null, 'count'],
      ['linked.span', linked?.span ?? null, 'ns'],
      ['linked.busy', linked?.busy ?? null, 'ns'],
    ],
    device.device,
  );
}

function hostFigures({ threads, time, kinds, ops, annotations, layers, steps }: HostSummary): Part[] {
  const lists = { 'host.op': ops, 'host.annotation': annotations, 'host.layer': layers };
  return [
    part('host', null, [
      ['threads', threads, 'count'],
      ['time', time, 'ns'],
    ]),
    ...kinds.map((tally) => part('host', tally.name, tallied(tally))),
    ...Object.entries(lists).flatMap(([section, tallies]) =>
      tallies.map(({ total, ...tally }) => part(section, tally.name, [...tallied(tally), ['total', total, 'ns']])),
    ),
    ...(steps === null
      ? []
      : [
          part('host.steps', null, [
            ['count', steps.count, 'count'],
            ...(['median', 'min', 'max'] as const).map((name) => [name, steps[name], 'ns'] as const),
          ]),
        ]),
  ];
}

function cpuFigures({ traced, cores, processes, ...all }: CpuSummary): Part[] {
  const values = ({ time, switches, samples }: Omit<CpuTally, 'id'>): Values => [
    ['time', time, 'ns'],
    ['switches', switches, 'count'],
    ['samples', samples, 'count'],
  ];
  return [
    part('cpu', null, [['traced', traced, 'ns'], ...values(all)]),
    ...cores.map((core) => part('cpu', `core ${core.id}`, values(core))),
    ...processes.map((tally) => part('cpu', `process ${tally.id}`, values(tally))),
  ];
}

function kernelFigures(kernels: KernelSummary): Part[] {
  const { work, matrixUnit, unattributed, replayed } = kernels;
  return [
    part('kernels', null, [
      ...tallied(kernels),
      ['untimed', kernels.untimed, 'count'],
      ['cut', kernels.cut.count, 'count'],
      ['cutTime', kernels.cut.time, 'ns'],
      ['names', kernels.names, 'count'],
    ]),
    ...kernels.byTime.map((tally) => part('kernels', tally.name, tallied(tally))),
    ...kernels.precision.map((tally) => part('precision', tally.name, tallied(tally))),
    ...Object.entries(matrixUnit).map(([name, time]: [string, number]) =>
      part('matrixUnit', name, [['time', time, 'ns']]),
    ),
    ...work.bounds.map((tally) => part('bounds', tally.name, tallied(tally))),
    part('work', null, [
      ['flops', work.flops, 'FLOP'],
      ['bytes', work.bytes, 'bytes'],
      ['known', work.known, 'ns'],
      ['computeShare', work.computeShare, 'fraction'],
      ['memoryShare', work.memoryShare, 'fraction'],
      ['rated', work.rated, 'ns'],
      ['mfu', work.mfu, 'fraction'],
      ...(work.tensor === undefined
        ? []
        : ([
            ['hfu', work.tensor.hfu, 'fraction'],
            ['hardwareFlops', work.tensor.hardwareFlops, 'FLOP'],
            ['transposeFlops', work.tensor.transposeFlops, 'FLOP'],
          ] as const)),
      ['flopsRated', work.flopsRated, 'ns'],
      ['impossible', work.impossible, 'count'],
      ...(work.mistimed === undefined ? [] : [['mistimed', work.mistimed, 'count'] as const]),
      ['trials', work.trials, 'count'],
      ['trialTime', work.trialTime, 'ns'],
    ]),
    part('unattributed', null, tallied(unattributed)),
    ...unattributed.reasons.map((tally) => part('unattributed', tally.name, tallied(tally))),
    ...replayed.map((tally) => part('replayed', tally.name, tallied(tally))),
  ];
}

export const FIGURE_COLUMNS: readonly Column<Figure>[] = [
  knownColumn('profile', 'profile', int(7), 'number of the input, from 0', ({ summary }) => summary.profile),
  column('file', 'file', str(20), "the profile's file", ({ summary }) => summary.header?.file ?? null),
  column('rank', 'rank', int(4), 'rank of the process', ({ summary, device }) => rankOn(summary.header, device)),
  knownColumn('section', 'section', str(12), 'part of the summary', ({ section }) => section, { vocabulary: true }),
  column('device', 'device', int(6), 'device; na for all devices together', ({ device }) => device),
  column('name', 'name', str(0), 'kernel, kind of copy, step …', ({ name }) => name),
  knownColumn('figure', 'figure', str(16), 'what the value is', ({ figure }) => figure, { vocabulary: true }),
  column('value', 'value', real(22), 'value, in its unit', ({ value }) => value),
  knownColumn('unit', 'unit', str(8), 'base unit', ({ unit }) => unit, { vocabulary: true }),
];
