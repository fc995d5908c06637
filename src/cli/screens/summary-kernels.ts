/** Sections of a summary about kernels and the compiled program that they belong to. */
import { inDeviceWords } from '../../record/glossary.js';
import { isIncomplete } from '../../prof/input/losses.js';
import type { TensorWork } from '../../prof/neuron/flops.js';
import type { KernelSummary, Tally, WorkTime } from '../../prof/summary/summary-data.js';
import { sumOf } from '../../prof/summary/tallies.js';
import { NEURON } from '../../prof/work/work-models.js';
import { peaksOf } from '../../prof/roofline/peaks.js';
import { abovePeaksTexts } from '../../prof/tally/above-peaks.js';
import { BY_NAME } from '../../prof/work/work-model.js';
import { countedWaitsText } from '../../prof/steps/transfers.js';
import { amountText, isMostly, MICROSECOND, partialText, UNKNOWN, type Quantity } from '../../record/units.js';
import { grouped, many } from '../../record/plural.js';
import { meanTime } from '../../record/statistics.js';
import { isOfNeuron, plain, share, TABLE, type About, type Section } from './summary-section.js';
import type { ProgramSummary, RoleTensors } from '../../prof/summary/program-sums.js';

/** Rows of each list. */
const MOST = 8;

export function programSections({ unit }: About, program: ProgramSummary): Section[] {
  return [
    ...program.tensors.map(tensorSection),
    ...(program.layers === 0 ? [] : [layerSection(program, unit.text.bind(unit))]),
  ];
}

function tensorSection({ role, count, bytes, listed }: RoleTensors): Section {
  const rows = listed
    .slice(0, MOST)
    .map((tensor) => [
      tensor.name,
      tensor.shape === null ? UNKNOWN : `[${tensor.shape.join(',')}]`,
      tensor.dtype ?? UNKNOWN,
      tensor.bytes === null ? UNKNOWN : grouped(tensor.bytes),
      '',
    ]);
  const size = bytes === null ? UNKNOWN : amountText(bytes, 'memory');
  const head = ['name', 'shape', 'dtype', 'bytes', ''];
  const title = `Tensors of the program, ${role ?? 'role unknown'}: ${grouped(count)}, ${size}`;
  return { ...plain(title, null), head, right: [3], rows: [...rows, ...more(count, 5)] };
}

function layerSection({ layers, listedLayers }: ProgramSummary, time: (ns: number) => string): Section {
  const rows = listedLayers
    .slice(0, MOST)
    .map(({ name, device, start, end }) => [
      name,
      device === null ? UNKNOWN : `device ${device}`,
      time(start),
      end === null ? UNKNOWN : time(end),
      '',
    ]);
  const head = ['layer', 'device', 'start', 'end', ''];
  const title = `Layers: ${many(layers, 'layer')}, start and end`;
  return { ...plain(title, null), head, right: [2, 3], rows: [...rows, ...more(layers, 5)] };
}

const more = (count: number, cells: number): string[][] =>
  count <= MOST ? [] : [[`and ${grouped(count - MOST)} more`, ...new Array<string>(cells - 1).fill('')]];

/** Means have the same unit, so that they can be compared at a glance. */
const meanText = (ns: number | null): string =>
  ns === null ? UNKNOWN : `${(ns / MICROSECOND.size).toFixed(2)} ${MICROSECOND.unit}`;

/** Kernels by time and by number of launches, and their arithmetic. */
export function kernelSections(about: About, kernels: KernelSummary): Section[] {
  const { unit, next, overview } = about;
  const { byTime, byCount, count, time, untimed, cut, names } = kernels;
  const doubts = [
    isIncomplete(overview) ? ', incomplete' : '',
    untimed > 0 ? `, ${grouped(untimed)} without a duration` : '',
    cut.count > 0 ? `, ${unit.text(cut.time)} by ${many(cut.count, 'kernel')} with an implausible end` : '',
  ];
  const waits = countedWaitsText(kernels);
  const others = waits === null ? '' : `; ${waits}`;
  const title = `${inDeviceWords('Kernels', overview.header)}: ${grouped(count)} with ${many(names, 'name')}, ${unit.text(time)}${doubts.join('')}${others}`;
  const heads = {
    head: ['time', 'share', 'count', 'mean', inDeviceWords('kernel', overview.header)],
    right: [0, 1, 2, 3],
  };
  const rows = (tallies: readonly Tally[]): string[][] =>
    tallies.map((tally) => [
      unit.text(tally.time),
      share(tally.time, time),
      grouped(tally.count),
      meanText(meanTime(tally)),
      tally.name,
    ]);
  const isSame = byCount.every(({ name }, i) => name === byTime[i]?.name);
  return [
    { ...plain(title, next(`--by kernel ${TABLE}`)), ...heads, isHeaded: true, rows: rows(byTime) },
    ...(isSame
      ? []
      : [
          {
            ...plain(inDeviceWords('Most launched', overview.header), null),
            ...heads,
            isDetail: true as const,
            rows: rows(byCount),
          },
        ]),
    arithmeticSection(about, kernels),
  ];
}

/** Shares of the time: `bf16 99.4 %, na 0.6 %`. */
const sharesText = (parts: readonly (readonly [name: string, time: number | null])[], all: number | null): string =>
  parts
    .filter(([, time]) => (time ?? 0) > 0)
    .map(([name, time]) => `${name} ${share(time, all)}`)
    .join(', ') || UNKNOWN;

const tallied = (tallies: readonly Tally[]): (readonly [string, number | null])[] => {
  const shown = tallies.slice(0, MOST_SHARES);
  return [...shown.map(({ name, time }) => [name, time] as const), ['others', sumOf(tallies.slice(MOST_SHARES))]];
};

const MOST_SHARES = 6;

/** The share of the kernel time for which a figure is known. */
const knownShare = (known: number, time: number | null): number => (time === null || time <= 0 ? 1 : known / time);

/** `(39.5 % of kernel time known)` */
const knownFor = (known: number, time: number | null): string => `(${share(known, time)} of kernel time known)`;

/** What the vendor counts twice, and the rest, which agrees with the formulas. @param useful FLOPs without transposes */
function repeatedRows(useful: number, repeated: number): string[][] {
  if (repeated === 0) return [];
  return [
    ['  twice', `${amountText(repeated, 'flop')}: FP32 products take two instructions, and each counts all FLOPs`],
    [
      '  products',
      `${amountText(useful - repeated, 'flop')} counted once, without transposes; formulas add other engines`,
    ],
  ];
}

/** The vendor's FLOPs and shares for a Neuron device, as in `dprof summary --vendor-metrics`. */
function tensorRows({ hardwareFlops, transposeFlops, repeatedFlops, hfu, mfu, cores }: TensorWork): string[][] {
  if (hardwareFlops === null) return [['MFU', `${UNKNOWN}: no product has a known size`]];
  const part = (value: number | null): string => (value === null ? UNKNOWN : amountText(value, 'share'));
  return [
    [
      'tensor FLOPs',
      `${amountText(hardwareFlops, 'flop')}, ${amountText(transposeFlops ?? 0, 'flop')} of them transposes`,
    ],
    ...repeatedRows(hardwareFlops - (transposeFlops ?? 0), repeatedFlops ?? 0),
    ['HFU', `${part(hfu)} of the BF16 peak of all cores over the whole time`],
    ...(cores.length === 0 ? [] : [['  by core', cores.map((each) => `${each.core}: ${part(each.hfu)}`).join(', ')]]),
    ['MFU', `${part(mfu)}, without transposes`],
  ];
}

/** Minimum share of kernel time with known work but without a bound for which a line is printed. */
const LEAST_UNBOUND = 0.01;

/** Why work, rates and shares of peaks are unknown. */
const NO_WORK = 'no kernel has known FLOPs or bytes';
const NO_FLOPS_PEAK = 'the peak FLOP/s of the device is unknown; --peaks gives it';
/** A device of the table has no bandwidth if no source gives it. */
const NO_BANDWIDTH = 'the bandwidth of the device is unknown; --peaks FILE.json gives it';

/** Whether the bandwidth of each device is unknown, but not its FLOP/s. */
const lacksBandwidth = ({ header }: About['overview']): boolean =>
  header?.devices.every((device) => peaksOf(device).bytesPerS === null) === true;

/** Why more kernel time has no bound than has unknown work. */
function unboundRows({ bounds, known }: WorkTime, time: number | null): string[][] {
  const unbound = bounds.find(({ name }) => name === UNKNOWN)?.time ?? 0;
  const unknown = Math.max(0, (time ?? 0) - known);
  const rest = unbound - unknown;
  if (known === 0 || rest < LEAST_UNBOUND * (time ?? 0)) return [];
  return [[`  ${UNKNOWN}`, `${share(unknown, time)} unknown work, ${share(rest, time)} no work or no known peak`]];
}

/** Rates that no device reaches, and kernels whose recorded times are too short. */
function defectRows({ impossible, mistimed = 0 }: WorkTime): string[][] {
  const { defect, short } = abovePeaksTexts({ count: impossible, mistimed });
  return [...(defect === null ? [] : [['defect', defect]]), ...(short === null ? [] : [['short times', short]])];
}

/** The share of eligible kernel time on the matrix unit; no row where it is unknown. */
function eligibleRows({ eligible, eligibleUsed }: KernelSummary['matrixUnit'], time: number | null): string[][] {
  if (eligible === null || eligibleUsed === null || eligible <= 0) return [];
  const used = `${amountText(eligibleUsed / eligible, 'share')}: ${share(eligibleUsed, time)} of the ${share(eligible, time)} of kernel time that is eligible`;
  return [['  of eligible', used]];
}

function arithmeticSection(
  { overview, unit, next, measured }: About,
  { time, precision, matrixUnit, work }: KernelSummary,
): Section {
  const { used, unused, notApplicable, undetermined, unknown } = matrixUnit;
  const uses = [
    ['used', used],
    ['not used', unused],
    ['not applicable', notApplicable],
    ['undetermined', undetermined],
    [UNKNOWN, unknown],
  ] as const;
  const peaks =
    work.computeShare === null && work.memoryShare === null
      ? `${UNKNOWN}: ${work.mfu !== null ? NO_BANDWIDTH : work.flops + work.bytes > 0 ? NO_FLOPS_PEAK : NO_WORK}`
      : !isMostly(knownShare(work.rated, time))
        ? `unknown ${knownFor(work.rated, time)}`
        : `${amountText(work.computeShare, 'share')} of FLOP/s, ${amountText(work.memoryShare, 'share')} of bandwidth ${knownFor(work.rated, time)}`;
  const partialAmount = (value: number, quantity: Quantity, known: number): string =>
    partialText(amountText(value, quantity), value, knownShare(known, time));
  const isIncomplete = overview.devices.some(({ missing }) => missing !== null);
  const mfu =
    work.mfu === null
      ? `${UNKNOWN}: ${isIncomplete ? 'launched work is missing' : work.flops > 0 ? NO_FLOPS_PEAK : 'no kernel has known FLOPs'}`
      : `${partialAmount(work.mfu, 'share', work.flopsRated)} of the span at peak ${knownFor(work.flopsRated, time)}`;
  const done = `${partialAmount(work.flops, 'flop', work.known)}, ${partialAmount(work.bytes, 'transfer', work.known)} ${knownFor(work.known, time)}`;
  const words =
    unused > 0
      ? `-c idx,op,kernel,dtype,tcwhy,sil --where 'tc==0' --sort sil ${TABLE}`
      : `--by bound,op,dtype,tc ${TABLE}`;
  const tried = `${many(work.trials, 'kernel')}, ${share(work.trialTime, time)}: run by a library to choose an algorithm; their work is not counted`;
  const rows = [
    ['precision', sharesText(tallied(precision), time)],
    ['matrix unit', sharesText(uses, time)],
    ...(undetermined > 0 ? [['  undetermined', (isOfNeuron(overview) ? NEURON.undetermined : BY_NAME).text]] : []),
    ...eligibleRows(matrixUnit, time),
    ['bound by', sharesText(tallied(work.bounds), time)],
    ...unboundRows(work, time),
    ...(work.tensor === undefined ? [] : tensorRows(work.tensor)),
    [
      work.tensor === undefined ? 'work' : 'work by formula',
      work.flops + work.bytes > 0 ? done : `${UNKNOWN}: ${NO_WORK}`,
    ],
    ['of peak', peaks],
    ...(measured === null && work.computeShare !== null && lacksBandwidth(overview)
      ? [['  bandwidth', NO_BANDWIDTH]]
      : []),
    ...(measured === null ? [] : [['  peaks', measured]]),
    ...(work.tensor === undefined ? [['MFU', mfu]] : []),
    ...(work.trials > 0 ? [['trials', tried]] : []),
    ...defectRows(work),
  ];
  return {
    ...plain(inDeviceWords(`Arithmetic, shares of kernel time, ${unit.text(time)}`, overview.header), next(words)),
    head: ['', ''],
    rows: rows.map((row) => row.map((cell) => inDeviceWords(cell, overview.header))),
  };
}
